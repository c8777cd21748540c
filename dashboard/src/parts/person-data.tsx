/** A person's stored data, to download or erase. */
import { useState } from "preact/hooks";
import type { ErasedAnswer, ErasureAnswer, ShownPerson } from "../../../src/http/dashboard/people-types.js";
import { counted } from "../format.js";
import { act, notifyError } from "../state/act.js";
import { get, withQuery } from "../state/api.js";
import { go } from "../state/router.js";
import { Confirm } from "./confirm.js";

export function PersonData({ person, name }: { person: ShownPerson; name: string }) {
  const who = { platform: person.platform, userId: person.userId };
  const [plan, setPlan] = useState<ErasureAnswer>();
  const [busy, setBusy] = useState(false);
  const loadPlan = async () => {
    setBusy(true);
    try {
      setPlan(await get<ErasureAnswer>(withQuery("/people/erasure", who)));
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
  };
  return (
    <section class="card" aria-labelledby="data">
      <h2 id="data">Stored data</h2>
      <p class="quiet">
        A download has their sessions, messages, notes and files in one archive, as{" "}
        <code>hermes people export</code> writes it.
      </p>
      <div class="action-buttons">
        <a class="button" href={`/api/dashboard${withQuery("/people/export", who)}`} download>
          Download
        </a>
        {plan ? null : (
          <button type="button" class="button" disabled={busy} onClick={() => void loadPlan()}>
            {busy ? "Loading…" : "Erase…"}
          </button>
        )}
      </div>
      {plan ? <Plan plan={plan} who={who} name={name} cancel={() => setPlan(undefined)} /> : null}
    </section>
  );
}

interface PlanProps {
  plan: ErasureAnswer;
  who: { platform: string; userId: string };
  name: string;
  cancel(): void;
}

function Plan({ plan: { counts, left, busy }, who, name, cancel }: PlanProps) {
  const erase = async () => {
    const erased = await act<ErasedAnswer>("/people/erase", who, `${name} was erased.`);
    if (erased) go("/people");
  };
  return (
    <section class="stack" aria-label="What is erased">
      <p>
        <b>This can’t be undone.</b>
      </p>
      <Lines title="Removed" lines={removed(counts)} />
      <Lines title="Replaced by “[erased]”" lines={redacted(counts)} />
      <Left left={left} />
      {busy ? (
        <p class="warn">The agent is answering this person at the moment: wait until it has finished.</p>
      ) : null}
      <div class="action-buttons">
        <button type="button" class="button" onClick={cancel}>
          Keep everything
        </button>
        {busy ? null : (
          <Confirm what="Erase" of={name} question={`Erase ${name}, for good?`} danger act={erase} />
        )}
      </div>
    </section>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul class="bullets">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

type Counts = ErasureAnswer["counts"];

/** One line per kind of data that exists. */
function removed({ sessions, messages, queueRowsRemoved, memories, files, schedules, pairings }: Counts) {
  return named([
    [sessions, `${counted(sessions, "session")} with ${counted(messages, "message")}`],
    [queueRowsRemoved, `${counted(queueRowsRemoved, "row")} in the queues`],
    [memories, "the agent’s notes about them"],
    [files, counted(files, "file")],
    [schedules, counted(schedules, "schedule")],
    [pairings, "their pairing"],
  ]);
}

function redacted({ sharedSessions, redactedMessages, changedMessages, queueRowsRedacted }: Counts) {
  const messages = counted(redactedMessages, "message");
  return named([
    [sharedSessions, `${messages} in ${counted(sharedSessions, "session")} with others`],
    [changedMessages, `quotes of them in ${counted(changedMessages, "message")} of others`],
    [queueRowsRedacted, `${counted(queueRowsRedacted, "row")} in the queues`],
  ]);
}

const named = (lines: readonly [count: number, line: string][]) =>
  lines.flatMap(([count, line]) => (count > 0 ? [line] : []));

/** Places that erasing doesn't change but that may contain their data. */
function Left({ left }: { left: ErasureAnswer["left"] }) {
  const groups: [string, readonly string[]][] = [
    ["Copies that still contain the data: delete them, or wait until they are rotated out", left.copies],
    ["Settings that name them: a person who is still allowed may write again", left.settings],
    ["Schedules of others that write to them", left.schedules],
    ["Logs of other programs", left.logs === null ? [] : [left.logs]],
  ];
  const shown = groups.filter(([, names]) => names.length > 0);
  if (shown.length === 0) return null;
  return (
    <details>
      <summary>Not changed</summary>
      {shown.map(([title, names]) => (
        <div key={title}>
          <p>{title}:</p>
          <ul class="bullets mono">
            {names.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      ))}
    </details>
  );
}
