/** How far this bot has heard: the newest post that the inbox has. Slack's ids are times, so one is enough for all rooms. */
import type { AdapterEvents, Cursor } from "../adapter.js";

const NAME = "seen";

export class SeenCursor {
  readonly #events: AdapterEvents;
  #newest: string | undefined;
  /** While something older may still be missing, the stored cursor must not pass it. */
  #held = false;

  constructor(events: AdapterEvents) {
    this.#events = events;
  }

  async stored(): Promise<string | undefined> {
    const value = await this.#events.cursor(NAME);
    this.#newest = later(this.#newest, value);
    return value;
  }

  hold(): void {
    this.#held = true;
  }

  async release(): Promise<void> {
    if (!this.#held) return;
    this.#held = false;
    if (this.#newest !== undefined) await this.#events.saveCursor({ name: NAME, value: this.#newest });
  }

  /** To store together with this post. */
  past(ts: string): Cursor | undefined {
    this.#newest = later(this.#newest, ts);
    return this.#held || this.#newest === undefined ? undefined : { name: NAME, value: this.#newest };
  }
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Number(a) >= Number(b) ? a : b;
}
