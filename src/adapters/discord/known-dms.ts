/** The direct messages that we know. Discord lists them for nobody, so a restart must remember where to look. */
import type { AdapterEvents } from "../adapter.js";
import { cursorNames, isId } from "./ids.js";

const MOST = 1000;

export class KnownDms {
  readonly #events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  /** Oldest first. */
  #ids = new Set<string>();

  constructor(events: Pick<AdapterEvents, "cursor" | "saveCursor">) {
    this.#events = events;
  }

  async load(): Promise<void> {
    const saved = (await this.#events.cursor(cursorNames.dms)) ?? "";
    this.#ids = new Set([...saved.split(" ").filter(isId), ...this.#ids]);
  }

  /** Durable when it resolves. Call it before the message is received: then its channel can't be forgotten. */
  async add(id: string): Promise<void> {
    if (this.#ids.has(id)) return;
    // Before it is saved: two who write for the first time in the same moment must not overwrite one another.
    this.#ids.add(id);
    if (this.#ids.size > MOST) this.#ids.delete(this.#ids.values().next().value!);
    try {
      await this.#events.saveCursor({ name: cursorNames.dms, value: [...this.#ids].join(" ") });
    } catch (error) {
      this.#ids.delete(id);
      throw error;
    }
  }

  /** Newest first. */
  list(): string[] {
    return [...this.#ids].reverse();
  }
}
