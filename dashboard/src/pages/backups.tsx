import { useEffect, useState } from "preact/hooks";
import type { BackupsAnswer } from "../../../src/http/dashboard/backups-types.js";
import { bytes, fullMoment, moment } from "../format.js";
import { Confirm } from "../parts/confirm.js";
import { Page } from "../parts/page.js";
import { Empty, LoadingOrFailed } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { act } from "../state/act.js";
import { now } from "../state/clock.js";
import { useFetched } from "../state/fetched.js";
import { href } from "../state/router.js";

export function BackupsPage() {
  const [isRunning, setRunning] = useState(false);
  // Poll the progress every second while a backup is running.
  const fetched = useFetched<BackupsAnswer>("/backups", isRunning ? Math.floor(now.value) : "idle");
  const { data, reload } = fetched;
  useEffect(() => {
    if (data) setRunning(data.running !== null);
  }, [data]);
  const make = async () => {
    if (await act("/backups/create", {}, "The backup has started.")) setRunning(true);
    reload();
  };
  return (
    <Page
      title="Backups"
      aside={
        <button
          type="button"
          class="button primary"
          disabled={data?.running != null}
          onClick={() => void make()}
        >
          Back up now
        </button>
      }
    >
      <p class="lead">
        A backup is one file with the database, transcripts, memories, hooks, plugins, sent files, and
        config.yaml without its secrets. It doesn't contain .env.
      </p>
      {data ? <Schedule answer={data} /> : null}
      {data?.running ? <Running running={data.running} /> : null}
      {data?.last?.error && !data.running ? (
        <p class="setting-fault" role="alert">
          {data.last.name} failed: {data.last.error}
        </p>
      ) : null}
      {data?.backups.length ? (
        <ul class="list" aria-label="Backups">
          {data.backups.map((backup) => (
            <BackupRow key={backup.name} backup={backup} reload={reload} />
          ))}
        </ul>
      ) : null}
      {data?.backups.length === 0 && !data.running ? (
        <Empty title="No backups yet">The first one appears here as soon as it is complete.</Empty>
      ) : null}
      <LoadingOrFailed of={fetched} rows={4} />
      {data ? <HowToRestore answer={data} /> : null}
    </Page>
  );
}

function Schedule({ answer: { schedule } }: { answer: BackupsAnswer }) {
  const { everyHours, keep, nextAt } = schedule;
  const settings = <a href={href("/config?find=backup.")}>Settings</a>;
  if (everyHours === 0)
    return (
      <p class="notice-line">
        Automatic backups are off. Set <code>backup.every_hours</code> in the {settings}, for example to 24.
      </p>
    );
  return (
    <p class="notice-line">
      A backup every {everyHours === 1 ? "hour" : `${everyHours} hours`}, the last {keep} are kept
      {nextAt === null ? "" : `; the next one is due ${nextAt <= now.value ? "now" : moment(nextAt)}`}. Change
      it under <code>backup</code> in the {settings}.
    </p>
  );
}

const STEPS = {
  database: "Copying the database",
  files: "Copying the other files",
  packing: "Packing",
} as const;

function Running({
  running: { name, step, bytes: done, ofBytes },
}: {
  running: NonNullable<BackupsAnswer["running"]>;
}) {
  const known = step === "packing" && ofBytes > 0;
  return (
    <section class="card backup-running" aria-label="Backup in progress">
      <p class="mono">{name}</p>
      <p role="status">
        {STEPS[step]}
        {known ? `: ${bytes(done)} of ${bytes(ofBytes)}` : "…"}
      </p>
      {known ? (
        <progress aria-label={STEPS[step]} max={ofBytes} value={done} />
      ) : (
        <progress aria-label={STEPS[step]} />
      )}
    </section>
  );
}

type Backup = BackupsAnswer["backups"][number];

function BackupRow({ backup: { name, bytes: size, at }, reload }: { backup: Backup; reload(): void }) {
  const remove = () => act("/backups/delete", { name }, "The backup was deleted.").finally(reload);
  return (
    <li class="person">
      <div class="letter-main">
        <p class="mono person-name wrapped">{name}</p>
        <p class="session-facts">
          <span title={fullMoment(at)}>{moment(at)}</span>
          <Ago at={at} />
          <span>{bytes(size)}</span>
        </p>
      </div>
      <div class="letter-buttons">
        <a class="button" href={`/api/dashboard/backups/${encodeURIComponent(name)}`} download={name}>
          Download<span class="unseen"> {name}</span>
        </a>
        <Confirm what="Delete" of={name} question="The file is lost." danger act={remove} />
      </div>
    </li>
  );
}

function HowToRestore({ answer: { folder, backups } }: { answer: BackupsAnswer }) {
  const name = backups[0]?.name ?? "hermes-….tar.gz";
  return (
    <section class="card stack" aria-labelledby="restore">
      <h2 id="restore">How to restore one</h2>
      <p>
        Run this on the gateway's machine. The current data is moved to a folder before-restore-… in the home.
      </p>
      <pre class="commands">{`hermes gateway stop\nhermes restore ${folder}/${name}\nhermes gateway`}</pre>
    </section>
  );
}
