/**
 * How long a text from outside may be. Whatever is longer is truncated where it comes in, and says so: all work behind
 * that edge has a bound. Lengths are in UTF-16 units, as JavaScript counts.
 */
import type { InboundMessage } from "./message.js";

/** More than any chat platform takes in one message (Slack: 40,000), enough for a pasted log. */
export const MAX_MESSAGE_CHARS = 100_000;
/** Of the message that is replied to. */
export const MAX_QUOTE_CHARS = 10_000;
/** Of people, chats and topics. */
const MAX_NAME_CHARS = 1000;
/** The words of one answer: about what the longest answers of today's models come to (128,000 tokens). */
export const MAX_ANSWER_CHARS = 500_000;
/** Of one tool call: a large file that a model writes. */
export const MAX_ARGUMENTS_CHARS = 200_000;

/** The text, or its beginning with a note of how long it was. Within the limit, so that nobody truncates it again. */
export function truncated(text: string, maxChars: number, what: string): string {
  if (text.length <= maxChars) return text;
  const note = `… [truncated: the ${what} had ${text.length} characters]`;
  return startOf(text, maxChars - note.length) + note;
}

/** At most so many UTF-16 units, never half of a surrogate pair. */
export function startOf(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

/** A message as the rest of the gateway may see it. What a program asks is limited by the size of its request. */
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
    const given = origin[name];
    if (given) limited[name] = startOf(given, MAX_NAME_CHARS);
  }
  return limited;
}

const ANSWER_NOTE = `… [truncated: the answer was longer than ${MAX_ANSWER_CHARS} characters]`;

/** Lets an answer through, piece by piece, until it is as long as it may be. The last piece ends in a note. */
export class AnswerLimit {
  #left: number;
  #isOver = false;

  constructor(maxChars = MAX_ANSWER_CHARS) {
    this.#left = maxChars - ANSWER_NOTE.length;
  }

  /** Nothing may follow. */
  get isOver(): boolean {
    return this.#isOver;
  }

  take(piece: string): string {
    this.#isOver = piece.length > this.#left;
    const taken = startOf(piece, this.#left);
    this.#left -= taken.length;
    return this.#isOver ? taken + ANSWER_NOTE : taken;
  }
}

/** For what wraps an agent that keeps to the limit by itself: its note must pass. */
export const outerAnswerLimit = () => new AnswerLimit(MAX_ANSWER_CHARS + ANSWER_NOTE.length);
