/**
 * Looks in Twilio's list for messages whose webhook call didn't arrive: Twilio repeats a failed call once, and then never.
 * The cursor is the time up to which everything is received.
 */
import { nowSeconds } from "../../clock.js";
import type { AdapterEvents } from "../adapter.js";
import type { TwilioApi, TwilioPage } from "./api.js";
import { createdAt, type Incoming, readListed, type Self } from "./normalise.js";

export interface GapParts {
  api: TwilioApi;
  self: Self;
  events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  /** Resolves when the inbox has it. */
  receive(incoming: Incoming): Promise<void>;
}

const CURSOR = "received-until";
/** Times have whole seconds, and messages may appear in the list a little later than others that are newer. */
const OVERLAP_SECONDS = 300;
const DAY_SECONDS = 86_400;
const MAX_PAGES = 50;

/** The message stays in Twilio's list. */
export class NotReceived extends Error {
  constructor(cause: unknown) {
    super("a message was not received", { cause });
  }
}

export class Gap {
  readonly #parts: GapParts;
  #cursor: number | undefined;

  constructor(parts: GapParts) {
    this.#parts = parts;
  }

  /** Receives what is missing, oldest first. Rejects if Twilio or the inbox fails; the next call begins there again. */
  async fill(signal: AbortSignal): Promise<void> {
    const { events, receive } = this.#parts;
    const since = await this.#since();
    const found = await this.#listed(since - OVERLAP_SECONDS, signal);
    for (const incoming of found) {
      signal.throwIfAborted();
      await receive(incoming).catch((cause: unknown) => {
        throw new NotReceived(cause);
      });
    }
    const newest = Math.max(since, ...found.map(({ message }) => message.sentAt));
    if (newest > since) await events.saveCursor({ name: CURSOR, value: String(newest) });
    this.#cursor = newest;
  }

  /** The first start skips older messages. */
  async #since(): Promise<number> {
    if (this.#cursor !== undefined) return this.#cursor;
    const { events } = this.#parts;
    const stored = Number((await events.cursor(CURSOR)) ?? Number.NaN);
    if (!Number.isNaN(stored)) return stored;
    const start = Math.floor(nowSeconds()) + OVERLAP_SECONDS;
    await events.saveCursor({ name: CURSOR, value: String(start) });
    return start;
  }

  async #listed(since: number, signal: AbortSignal): Promise<Incoming[]> {
    const { api, self } = this.#parts;
    const day = new Date((since - DAY_SECONDS / 24) * 1000).toISOString().slice(0, 10);
    const found: Incoming[] = [];
    let page: TwilioPage = await api.list({ To: self.phoneNumber, "DateSent>": day }, signal);
    for (let pages = 1; ; pages++) {
      const recent = page.messages.filter((message) => (createdAt(message) ?? since) >= since);
      found.push(...recent.flatMap((message) => readListed(message, self) ?? []));
      const isEnd = recent.length < page.messages.length || page.next === null || pages >= MAX_PAGES;
      if (isEnd) return found.reverse().toSorted((a, b) => a.message.sentAt - b.message.sentAt);
      page = await api.next(page.next!, signal);
    }
  }
}
