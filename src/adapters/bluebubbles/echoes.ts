/**
 * In a chat with oneself the Mac stores each message twice, once as received. Such a copy of an answer of ours would be
 * answered again, and again.
 */
import { BoundedMap } from "../../bounded-map.js";
import type { Message } from "./normalise.js";

const MAX_KNOWN = 500;
/** Both copies have nearly the same time. */
const TWIN_MS = 2000;

export class Echoes {
  readonly #sent = new BoundedMap<string, true>(MAX_KNOWN);
  readonly #own = new BoundedMap<string, number>(MAX_KNOWN);

  /** Before it is sent: the copy may be there before the answer to the call. */
  sending(text: string): void {
    this.#sent.set(text.trim(), true);
  }

  /** A message of the Mac's own user, or of ours. */
  sawOwn({ chat, text, createdAtMs }: Message): void {
    this.#own.set(`${chat.guid} ${text}`, createdAtMs);
  }

  isEcho({ chat, text, createdAtMs }: Message): boolean {
    const twinAtMs = this.#own.get(`${chat.guid} ${text}`);
    return this.#sent.has(text) && twinAtMs !== undefined && Math.abs(createdAtMs - twinAtMs) < TWIN_MS;
  }
}
