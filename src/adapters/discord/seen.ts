/** The moment up to which everything is in the inbox: where catching up begins for a channel without a cursor. */
import type { AdapterEvents } from "../adapter.js";
import { cursorNames, idAt, isId, timeOf } from "./ids.js";

/** An event may be under way to us for so long. */
const UNDER_WAY_MS = 2000;

export class Seen {
  readonly #events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  #id: string | undefined;
  /** How far our clock is ahead of Discord's, which is the one that counts; never too little. */
  #aheadMs = 0;

  constructor(events: Pick<AdapterEvents, "cursor" | "saveCursor">) {
    this.#events = events;
  }

  async load(): Promise<void> {
    const saved = await this.#events.cursor(cursorNames.seen);
    this.#id = saved !== undefined && isId(saved) ? saved : undefined;
  }

  /** Undefined before the very first connect: there is nothing that was missed. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Discord's time, as its answers tell it. */
  heardTime(date: string | null): void {
    const there = Date.parse(date ?? "");
    if (!Number.isNaN(there)) this.#aheadMs = Math.max(0, Date.now() - there);
  }

  /** All is well now, but for what came in at `oldestMs`. */
  async advance(oldestMs: number | undefined): Promise<void> {
    const upToMs = Math.min(Date.now(), oldestMs ?? Number.POSITIVE_INFINITY) - this.#aheadMs - UNDER_WAY_MS;
    if (this.#id !== undefined && timeOf(this.#id) >= upToMs) return;
    this.#id = idAt(upToMs);
    await this.#events.saveCursor({ name: cursorNames.seen, value: this.#id });
  }
}
