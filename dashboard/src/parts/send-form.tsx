/** Sends a message from the operator to any chat. */
import { useRef, useState } from "preact/hooks";
import { notifyError } from "../state/act.js";
import { newKey, post } from "../state/api.js";
import { notify } from "./notices.js";

export function SendForm() {
  const [to, setTo] = useState("");
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const key = useRef(newKey());
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const sent = await post<{ id: string; to: string }>("/send", { to, text, key: key.current });
      notify(`${sent.id} to ${sent.to} is on its way.`);
      setText("");
      key.current = newKey();
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
  };
  return (
    <details class="card send">
      <summary>Send a message</summary>
      <form class="reply" onSubmit={(event) => void send(event)}>
        <label class="labelled">
          <span>To, such as telegram:12345, or a platform and the name of a chat</span>
          <input
            class="field"
            required
            maxLength={500}
            value={to}
            onInput={(event) => setTo(event.currentTarget.value)}
          />
        </label>
        <label class="labelled">
          <span>Text</span>
          <textarea
            class="field"
            required
            rows={3}
            maxLength={100_000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary" disabled={busy}>
          Send
        </button>
      </form>
    </details>
  );
}
