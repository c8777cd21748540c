/** An operator's actions in a session. */
import { useRef, useState } from "preact/hooks";
import type { SessionDetail } from "../../../src/http/dashboard/types.js";
import { clock } from "../format.js";
import { act as actAt } from "../state/act.js";
import { newKey } from "../state/api.js";
import { now } from "../state/clock.js";
import { go } from "../state/router.js";
import { Confirm } from "./confirm.js";

interface ActionsProps {
  session: SessionDetail;
  reload(): void;
}

const pathOf = (session: SessionDetail) => `/sessions/${encodeURIComponent(session.id)}`;

const act = (session: SessionDetail, action: string, body: object, done: string) =>
  actAt(`${pathOf(session)}/${action}`, body, done);

export function SessionActions({ session, reload }: ActionsProps) {
  const [isRenaming, setRenaming] = useState(false);
  const run = (action: string, done: string) => act(session, action, {}, done).finally(reload);
  const api = `/api/dashboard${pathOf(session)}/export`;
  const remove = async () => {
    if (await act(session, "delete", {}, "The session was deleted.")) go("/sessions");
  };
  return (
    <section class="card session-actions" aria-label="Actions">
      {isRenaming ? (
        <Rename session={session} end={() => setRenaming(false)} reload={reload} />
      ) : (
        <div class="action-buttons">
          {session.busy ? (
            <button
              type="button"
              class="button"
              onClick={() => void run("stop", "The running turn was stopped.")}
            >
              Stop the turn
            </button>
          ) : null}
          <button type="button" class="button" onClick={() => setRenaming(true)}>
            Rename
          </button>
          <a class="button" href={`${api}?format=markdown`} download>
            Export as Markdown
          </a>
          <a class="button" href={`${api}?format=json`} download>
            Export as JSON
          </a>
          {session.live ? (
            <Confirm
              what="End"
              question="The chat’s next message opens a new session."
              act={() => run("end", "The session was ended.")}
            />
          ) : null}
          <Confirm what="Delete" question="All its messages are lost." danger act={remove} />
        </div>
      )}
    </section>
  );
}

function Rename({ session, end, reload }: ActionsProps & { end(): void }) {
  const [title, setTitle] = useState(session.title ?? "");
  const save = async (event: Event) => {
    event.preventDefault();
    const newTitle = title.trim() === "" ? null : title;
    if (!(await act(session, "rename", { title: newTitle }, "The session was renamed."))) return;
    end();
    reload();
  };
  return (
    <form class="action-buttons" onSubmit={(event) => void save(event)}>
      <label class="labelled">
        <span>Title</span>
        <input
          class="field"
          value={title}
          maxLength={500}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
      </label>
      <button type="button" class="button" onClick={end}>
        Cancel
      </button>
      <button type="submit" class="button primary">
        Save
      </button>
    </form>
  );
}

/** Below the transcript: lets the operator answer instead of the agent. */
export function Takeover({ session, reload }: ActionsProps) {
  if (!session.live) return null;
  const until = session.human_until;
  const run = (action: string, done: string) => act(session, action, {}, done).finally(reload);
  if (until === null || until <= now.value) {
    return (
      <section class="card takeover" aria-label="Takeover">
        <p>The agent answers in this chat.</p>
        <button
          type="button"
          class="button primary"
          onClick={() => void run("takeover", "You answer in this chat now.")}
        >
          Take over
        </button>
      </section>
    );
  }
  return (
    <section class="card takeover" aria-label="Takeover">
      <p>
        You answer in this chat until {clock(until)}; the agent is paused. Each reply restarts the time limit.
      </p>
      <button
        type="button"
        class="button"
        onClick={() => void run("handback", "The agent answers in this chat again.")}
      >
        Hand back
      </button>
      <Reply session={session} reload={reload} />
    </section>
  );
}

function Reply({ session, reload }: ActionsProps) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  /** One idempotency key per text. */
  const key = useRef(newKey());
  const send = async (event: Event) => {
    event.preventDefault();
    if (text.trim() === "" || busy) return;
    setBusy(true);
    if (await act(session, "reply", { text, key: key.current }, "Your reply is on its way.")) {
      setText("");
      key.current = newKey();
    }
    setBusy(false);
    reload();
  };
  return (
    <form class="reply" onSubmit={(event) => void send(event)}>
      <label class="labelled">
        <span>Your reply</span>
        <textarea
          class="field"
          rows={3}
          maxLength={100_000}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary" disabled={busy || text.trim() === ""}>
        Send
      </button>
    </form>
  );
}
