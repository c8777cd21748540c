/** Markdown → notifications. Home Assistant shows Markdown; what `notify` services show is plain text. Pure. */
import type { OutboundMessage } from "../../message.js";
import { plainParts, splitText } from "../../text/plain.js";
import { EVENTS_CHAT } from "./ids.js";

export const LIMIT = 4096;
/** Each part of a multi-part answer has room for a note. */
const NOTE_ROOM = 40;

export interface HomeAssistantPart {
  text: string;
}

export function partsOf({ text, target }: OutboundMessage): HomeAssistantPart[] {
  if (text.trim() === "") return [];
  const options = { limit: LIMIT - NOTE_ROOM, unit: "utf16" } as const;
  const parts = target.chatId === EVENTS_CHAT ? splitText(text, options) : plainParts(text, options);
  return parts.map((part) => ({ text: part }));
}
