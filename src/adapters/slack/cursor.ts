/** The newest message that the inbox has stored. Slack's ids are timestamps, so one cursor covers all channels. */
import type { AdapterEvents, Cursor } from "../adapter.js";

const NAME = "seen";

export class SeenCursor {
  readonly #events: AdapterEvents;
  #newest: string | undefined;
  /** Older messages may still be missing, so the stored cursor must not move. */
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

  /** The cursor to store together with this message. */
  past(ts: string): Cursor | undefined {
    this.#newest = later(this.#newest, ts);
    return this.#held || this.#newest === undefined ? undefined : { name: NAME, value: this.#newest };
  }
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Number(a) >= Number(b) ? a : b;
}
