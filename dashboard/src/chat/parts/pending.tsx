/** Messages that aren't part of the conversation yet. */
import type { QueuedMessage } from "../../../../src/adapters/web/api.js";
import { notify } from "../../parts/notices.js";
import { reattach } from "../state/attachments.js";
import { isBusy, withdraw } from "../state/open.js";
import { connection } from "../state/stream.js";
import { discard, retry, type Unsent } from "../state/unsent.js";
import { attempt } from "./actions.js";
import { composerText, fillComposer } from "./composer-text.js";
import { Files } from "./files.js";

/** A message that waits for the running answer. If none is running, its own answer starts in a moment. */
export function Queued({ message }: { message: QueuedMessage }) {
  const { clientId, text, files } = message;
  return (
    <article class={isBusy.value ? "message user queued" : "message user"} aria-label="Queued message">
      <Files files={files} />
      {text ? <p class="bubble">{text}</p> : null}
      <div class="actions always">
        {isBusy.value ? (
          <>
            <span class="tag">Queued</span>
            <button type="button" class="link" onClick={() => void attempt(() => withdraw(clientId))}>
              Withdraw
            </button>
          </>
        ) : null}
      </div>
    </article>
  );
}

/** Back into the message box, before what is there already. */
function edit({ clientId, text, files }: Unsent): void {
  if (!reattach(files)) {
    notify("The message box has too many files: send or remove them first.", "failed");
    return;
  }
  discard(clientId);
  fillComposer([text, composerText.value].filter((part) => part !== "").join("\n\n"));
}

/** A message that the server hasn't accepted yet, or has refused. */
export function UnsentMessage({ message }: { message: Unsent }) {
  const { clientId, text, files, fault } = message;
  return (
    <article class="message user unsent" aria-label="Message that isn't sent yet">
      <Files files={files} />
      {text ? <p class="bubble">{text}</p> : null}
      <div class="actions always">
        {fault === undefined ? (
          <span class="tag">
            {connection.value === "live" ? "Sending…" : "Sent as soon as the connection is back"}
          </span>
        ) : (
          <>
            <span class="tag failed" role="alert">
              Not sent: {fault}
            </span>
            <button type="button" class="link" onClick={() => retry(clientId)}>
              Try again
            </button>
            <button type="button" class="link" onClick={() => edit(message)}>
              Edit
            </button>
          </>
        )}
      </div>
    </article>
  );
}
