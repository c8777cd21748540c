/**
 * Length limits for external text. Longer text is truncated on arrival, with a note, to bound all later work.
 * Lengths are in UTF-16 units.
 */
import type { InboundMessage } from "./message.js";

/** More than any chat platform allows per message (Slack: 40,000); enough for a pasted log. */
export const MAX_MESSAGE_CHARS = 100_000;
/** For the message that is replied to. */
export const MAX_QUOTE_CHARS = 10_000;
/** For names of people, chats and topics. */
const MAX_NAME_CHARS = 1000;
/** For one answer: about the longest answers of current models (128,000 tokens). */
export const MAX_ANSWER_CHARS = 500_000;
/** For one tool call: a large file written by a model. */
export const MAX_ARGUMENTS_CHARS = 200_000;

/** The text, or its start with a note of its length. Never longer than the limit. */
export function truncated(text: string, maxChars: number, what: string): string {
  if (text.length <= maxChars) return text;
  const note = `… [truncated: the ${what} had ${text.length} characters]`;
  return startOf(text, maxChars - note.length) + note;
}

/** The start of the text. Never splits a surrogate pair. */
export function startOf(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

/** Truncates a message to the limits. API requests are limited by body size instead. */
export function limitedMessage(message: InboundMessage): InboundMessage {
  const { text, quoted, origin, request } = message;
  const limited = { ...message, origin: limitedNames(origin) };
  if (!request) limited.text = truncated(text, MAX_MESSAGE_CHARS, "message");
  if (quoted) limited.quoted = { ...quoted, text: truncated(quoted.text, MAX_QUOTE_CHARS, "quoted message") };
  return limited;
}

function limitedNames(origin: InboundMessage["origin"]): InboundMessage["origin"] {
  const limited = { ...origin };
  for (const name of ["userName", "chatName", "chatTopic"] as const) {
    const value = origin[name];
    if (value) limited[name] = startOf(value, MAX_NAME_CHARS);
  }
  return limited;
}

const ANSWER_NOTE = `… [truncated: the answer was longer than ${MAX_ANSWER_CHARS} characters]`;

/** The start of the last piece, and a note. */
export function endOfAnswer(piece: string, maxChars: number): string {
  return startOf(piece, maxChars) + ANSWER_NOTE;
}

/** Limits a streamed answer. The last piece ends with a note. */
export class AnswerLimit {
  #left: number;
  #isOver = false;

  constructor() {
    this.#left = MAX_ANSWER_CHARS - ANSWER_NOTE.length;
  }

  /** Whether the limit is reached. */
  get isOver(): boolean {
    return this.#isOver;
  }

  take(piece: string): string {
    this.#isOver = piece.length > this.#left;
    if (this.#isOver) return endOfAnswer(piece, this.#left);
    this.#left -= piece.length;
    return piece;
  }
}
