/** Short messages about the outcome of an action. Screen readers announce them; they disappear after a few seconds. */
import { signal } from "@preact/signals";

interface Notice {
  id: number;
  text: string;
  kind: "done" | "failed";
}

const notices = signal<Notice[]>([]);
const SHOWN_MS = 6000;
const MAX_NOTICES = 4;
let lastId = 0;

export function notify(text: string, kind: Notice["kind"] = "done"): void {
  const id = ++lastId;
  notices.value = [...notices.value, { id, text, kind }].slice(-MAX_NOTICES);
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
