/** Starts what keeps the chat in step with the server. */
import { effect, signal, untracked } from "@preact/signals";
import { loadMarkdown } from "../../markdown/markdown.js";
import { retryLost } from "./attachments.js";
import { startList } from "./list.js";
import { loadMe } from "./me.js";
import { onAccepted, onEvent, open, openNew } from "./open.js";
import { sentenceOf } from "./request.js";
import { place } from "./router.js";
import { startStream } from "./stream.js";
import { sendNow, startSending } from "./unsent.js";

export const startFault = signal<string | undefined>(undefined);

const AGAIN_MS = 3000;
let isStarted = false;

export function startChat(): void {
  if (isStarted) return;
  isStarted = true;
  // The text shows as it was written if this fails.
  loadMarkdown().catch((error: unknown) => console.warn("Markdown couldn't be loaded:", error));
  void begin();
}

/** The first answer gives this browser its identity: everything else comes after it. */
async function begin(): Promise<void> {
  try {
    await loadMe();
  } catch (error) {
    startFault.value = sentenceOf(error);
    setTimeout(() => void begin(), AGAIN_MS);
    return;
  }
  startFault.value = undefined;
  startList();
  startSending(onAccepted);
  effect(() => {
    const here = place.value;
    // The address alone decides what is read, not what is shown.
    untracked(() => (here.page === "conversation" ? void open(here.id) : openNew()));
  });
  startStream((event, id) => {
    if (event.type === "hello") {
      sendNow();
      retryLost();
    }
    onEvent(event, id);
  });
}
