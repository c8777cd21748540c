/** What was just done, or couldn't be: said once, read out, gone after a while. */
import { signal } from "@preact/signals";

interface Notice {
  id: number;
  text: string;
  kind: "done" | "failed";
}

const notices = signal<Notice[]>([]);
const SHOWN_MS = 6000;
const MOST = 4;
let lastId = 0;

export function say(text: string, kind: Notice["kind"] = "done"): void {
  const id = ++lastId;
  notices.value = [...notices.value, { id, text, kind }].slice(-MOST);
  setTimeout(() => {
    notices.value = notices.value.filter((notice) => notice.id !== id);
  }, SHOWN_MS);
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, kind }) => (
        <p key={id} class={`notice ${kind}`}>
          {text}
        </p>
      ))}
    </div>
  );
}
