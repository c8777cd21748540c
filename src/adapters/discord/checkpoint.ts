/** The moment up to which everything is in the inbox. Catching up begins there in channels without a cursor. */
import type { AdapterEvents } from "../adapter.js";
import { cursorNames, idAt, isId, timeOf } from "./ids.js";

/** How long an event may be on its way to us. */
const IN_FLIGHT_MS = 2000;

export class Checkpoint {
  readonly #events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  #id: string | undefined;
  /** How far our clock is ahead of Discord's, whose times count; never negative. */
  #aheadMs = 0;

  constructor(events: Pick<AdapterEvents, "cursor" | "saveCursor">) {
    this.#events = events;
  }

  async load(): Promise<void> {
    const saved = await this.#events.cursor(cursorNames.seen);
    this.#id = saved !== undefined && isId(saved) ? saved : undefined;
  }

  /** Undefined before the very first connect: nothing was missed then. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Compares our clock with the Date header of Discord's answers. */
  compareClock(date: string | null): void {
    const theirs = Date.parse(date ?? "");
    if (!Number.isNaN(theirs)) this.#aheadMs = Math.max(0, Date.now() - theirs);
  }

  /** Moves it to now, or to just before the oldest event that is still pending. */
  async advance(oldestPendingMs: number | undefined): Promise<void> {
    const latestMs = Math.min(Date.now(), oldestPendingMs ?? Number.POSITIVE_INFINITY);
    const upToMs = latestMs - this.#aheadMs - IN_FLIGHT_MS;
    if (this.#id !== undefined && timeOf(this.#id) >= upToMs) return;
    this.#id = idAt(upToMs);
    await this.#events.saveCursor({ name: cursorNames.seen, value: this.#id });
  }
}
