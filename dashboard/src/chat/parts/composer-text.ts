/** The text of the composer. The browser stores a draft for each conversation. */
import { effect, signal } from "@preact/signals";
import { draftOf, NEW, saveDraft } from "../state/drafts.js";
import { place } from "../state/router.js";

const draftId = () => (place.value.page === "conversation" ? place.value.id : NEW);

export const composerText = signal("");
/** Incremented to focus the message box. */
export const focusMark = signal(0);

/** Opening a conversation shows its draft. */
effect(() => {
  composerText.value = draftOf(draftId());
});

export function writeText(text: string): void {
  composerText.value = text;
  saveDraft(draftId(), text);
}

export function fillComposer(text: string): void {
  writeText(text);
  focusMark.value += 1;
}
