/** Starts everything that keeps the chat in sync with the server. */

import { effect, signal, untracked } from "@preact/signals";
import { loadMarkdown } from "../../markdown/markdown.js";
import { errorText } from "../../state/api.js";
import { retryLost } from "./attachments.js";
import { startList } from "./list.js";
import { loadMe } from "./me.js";
import { onAccepted, onEvent, open, openNew } from "./open.js";
import { place } from "./router.js";
import { startStream } from "./stream.js";
import { sendNow, startSending } from "./unsent.js";

export const startFault = signal<string | undefined>(undefined);

const RETRY_MS = 3000;
let isStarted = false;

export function startChat(): void {
  if (isStarted) return;
  isStarted = true;
  // If this fails, messages are shown without formatting.
  loadMarkdown().catch((error: unknown) => console.warn("Markdown couldn't be loaded:", error));
  void begin();
}

/** The answer to `/me` gives this browser its identity, so everything else waits for it. */
async function begin(): Promise<void> {
  try {
    await loadMe();
  } catch (error) {
    startFault.value = errorText(error);
    setTimeout(() => void begin(), RETRY_MS);
    return;
  }
  startFault.value = undefined;
  startList();
  startSending(onAccepted);
  effect(() => {
    const here = place.value;
    // Untracked: only a new address opens a conversation.
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
