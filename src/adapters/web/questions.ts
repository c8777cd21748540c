/** Questions in the log: their buttons, and what was decided. */
import { BoundedMap } from "../../bounded-map.js";
import type { OutboundQuestion } from "../../question.js";
import { type Button, buttonsOf } from "../kit/buttons.js";
import type { WebLogEntry } from "./types.js";

export const MAX_CHOICES = 100;
export const LABEL_CHARS = 200;
const MAX_DECIDED = 500;

export function buttonsFor(question: OutboundQuestion | undefined): { buttons?: readonly Button[] } {
  const buttons = question ? buttonsOf(question, { maxChoices: MAX_CHOICES, labelChars: LABEL_CHARS }) : [];
  return buttons.length > 0 ? { buttons } : {};
}

/** The log may be read before it has a decision that was just made. */
export class Decisions {
  readonly #texts = new BoundedMap<string, string>(MAX_DECIDED);

  add(entryId: string, text: string): void {
    this.#texts.set(entryId, text);
  }

  apply(entry: WebLogEntry): WebLogEntry {
    const text = this.#texts.get(entry.id);
    if (text === undefined) return entry;
    const { buttons: _, ...rest } = entry;
    return { ...rest, text };
  }
}
