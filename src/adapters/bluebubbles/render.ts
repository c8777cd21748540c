/** Markdown → texts without markup: iMessage shows none that comes from a program. Pure. */
import type { OutboundFile, OutboundMessage } from "../../message.js";
import { plainParts } from "../../text/plain.js";

export const LIMIT = 4000;

export type BlueBubblesPart = { text: string } | { file: OutboundFile };

export const REPEAT = "(This may be a repeat.)";
const NOTE_ROOM = REPEAT.length + 1;

export function partsOf({ text, files = [] }: OutboundMessage): BlueBubblesPart[] {
  const texts = text.trim() === "" ? [] : plainParts(text, { limit: LIMIT - NOTE_ROOM, unit: "utf16" });
  return [...texts.map((part) => ({ text: part })), ...files.map((file) => ({ file }))];
}

/** There is always room for the note. */
export function marked(text: string): string {
  return `${REPEAT}\n${text}`;
}
