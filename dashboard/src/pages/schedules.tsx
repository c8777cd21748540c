import { useState } from "preact/hooks";
import type {
  RunRow,
  ScheduleDetail,
  SchedulesAnswer,
  ShownSchedule,
} from "../../../src/http/dashboard/schedules-types.js";
import { moment } from "../format.js";
import { Badge, type Tone } from "../parts/badges.js";
import { Confirm } from "../parts/confirm.js";
import { Page } from "../parts/page.js";
import { ScheduleForm } from "../parts/schedule-form.js";
import { Empty, Failed, LoadingOrFailed } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { act } from "../state/act.js";
import { useFetched } from "../state/fetched.js";
import { overview } from "../state/live.js";
import { href } from "../state/router.js";
import { useThrottled } from "../state/throttle.js";

const PACE_MS = 2000;

export function SchedulesPage() {
  const mark = useThrottled(overview.value?.at, PACE_MS);
  const fetched = useFetched<SchedulesAnswer>("/schedules", mark);
  const { data, reload } = fetched;
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title="Schedules"
      aside={
        isAdding ? undefined : (
          <button type="button" class="button primary" onClick={() => setAdding(true)}>
            New schedule
          </button>
        )
      }
    >
      <p class="lead">What the agent is asked and when, and where its answers go.</p>
      {data && !data.enabled ? (
        <p class="notice-line">
          Nothing runs: <code>cron.enabled</code> is false in the{" "}
          <a href={href("/config?find=cron.")}>Settings</a>.
        </p>
      ) : null}
      {isAdding ? (
        <ScheduleForm
          timeZone={data?.timeZone ?? ""}
          end={() => {
            setAdding(false);
            reload();
          }}
        />
      ) : null}
      {data?.schedules.map((schedule) => (
        <ScheduleCard key={schedule.id} schedule={schedule} timeZone={data.timeZone} reload={reload} />
      ))}
      {data?.schedules.length === 0 && !isAdding ? (
        <Empty title="No schedules yet">
          Create one here, with <code>hermes cron add</code>, or ask the agent for one in a chat.
        </Empty>
      ) : null}
      <LoadingOrFailed of={fetched} rows={4} />
    </Page>
  );
}

interface CardProps {
  schedule: ShownSchedule;
  timeZone: string;
  reload(): void;
}

function ScheduleCard({ schedule, timeZone, reload }: CardProps) {
  const [isEditing, setEditing] = useState(false);
  const { name, prompt, when, to, fault, lastRun, maker } = schedule;
  if (isEditing)
    return (
      <ScheduleForm
        schedule={schedule}
        timeZone={timeZone}
        end={() => {
          setEditing(false);
          reload();
        }}
      />
    );
  return (
    <article class="card schedule" aria-label={name} data-schedule={name}>
      <p class="hook-head">
        <b>{name}</b>
        <State schedule={schedule} />
      </p>
      <p class="schedule-prompt">{prompt}</p>
      <p class="session-facts">
        <span class="mono">{when}</span>
        <span>{schedule.timeZone ?? timeZone}</span>
        <span>
          to <span class="mono">{to}</span>
        </span>
        {maker ? <span>made by {maker}</span> : null}
        {schedule.missed === "skip" ? <span>missed runs are skipped</span> : null}
      </p>
      <p class="session-facts">
        <span>
          <Next schedule={schedule} />
        </span>
        {lastRun ? (
          <span>
            last run <Run run={lastRun} />
          </span>
        ) : (
          <span>has not run yet</span>
        )}
      </p>
      {fault ? <p class="setting-fault">{fault}. Delete it and create it again.</p> : null}
      {lastRun?.reason ? <p class="setting-fault">{lastRun.reason}</p> : null}
      <Actions schedule={schedule} edit={() => setEditing(true)} reload={reload} />
      <Runs schedule={schedule} />
    </article>
  );
}

function State({ schedule: { state, fault, isRequested } }: { schedule: ShownSchedule }) {
  if (fault) return <Badge tone="bad">unreadable</Badge>;
  if (isRequested) return <Badge tone="wait">runs now</Badge>;
  return <Badge tone={state === "active" ? "good" : "quiet"}>{state}</Badge>;
}

function Next({ schedule: { nextAt, state } }: { schedule: ShownSchedule }) {
  if (nextAt === null) return <>{state === "paused" ? "no next run while it is paused" : "no next run"}</>;
  return (
    <>
      next run {moment(nextAt)} (<Ago at={nextAt} />)
    </>
  );
}

const TONES: Record<RunRow["state"], Tone> = {
  waiting: "wait",
  running: "accent",
  done: "good",
  failed: "bad",
  cancelled: "quiet",
  skipped: "wait",
};

function Run({ run: { state, at, delivery, inboxId, manual } }: { run: RunRow }) {
  return (
    <>
      <Ago at={at} /> <Badge tone={TONES[state]}>{state}</Badge>
      {manual ? " on request" : ""}
      {delivery === "dead" ? ", not delivered" : ""}
      {inboxId === null ? null : (
        <>
          {" "}
          <a href={href(`/messages/in:${inboxId}`)}>
            timeline<span class="unseen"> of in:{inboxId}</span>
          </a>
        </>
      )}
    </>
  );
}

function Actions({ schedule, edit, reload }: { schedule: ShownSchedule; edit(): void; reload(): void }) {
  const { id, name, state, fault } = schedule;
  const run = (verb: string, done: string) =>
    act(`/schedules/${encodeURIComponent(id)}/${verb}`, {}, done).finally(reload);
  const simple = (verb: string, label: string, done: string) => (
    <button type="button" class="button" onClick={() => void run(verb, done)}>
      {label}
      <span class="unseen"> {name}</span>
    </button>
  );
  return (
    <div class="action-buttons">
      {fault ? null : (
        <>
          {simple("run", "Run now", `“${name}” runs now.`)}
          {state === "active" ? simple("pause", "Pause", `“${name}” is paused.`) : null}
          {state === "paused" ? simple("resume", "Resume", `“${name}” runs again.`) : null}
          <button type="button" class="button" onClick={edit}>
            Edit<span class="unseen"> {name}</span>
          </button>
        </>
      )}
      <Confirm
        what="Delete"
        of={name}
        question="If it is running, that run is cancelled."
        danger
        act={() => run("delete", `“${name}” was deleted.`)}
      />
    </div>
  );
}

function Runs({ schedule: { id, lastRun } }: { schedule: ShownSchedule }) {
  const [open, setOpen] = useState(false);
  const path = open ? `/schedules/${encodeURIComponent(id)}` : undefined;
  const { data, error } = useFetched<ScheduleDetail>(
    path,
    `${lastRun?.at} ${lastRun?.state} ${lastRun?.delivery}`,
  );
  if (!lastRun) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Last runs</summary>
      {error ? <Failed error={error} /> : null}
      <ol class="schedule-runs">
        {data?.runs.map((run) => (
          <li key={`${run.tick} ${run.at}`}>
            <Run run={run} />
            {run.reason ? `: ${run.reason}` : ""}
          </li>
        ))}
      </ol>
    </details>
  );
}
