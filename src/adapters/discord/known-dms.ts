/** The known direct-message channels. Discord doesn't list them, so they are stored to catch up after a restart. */
import type { AdapterEvents } from "../adapter.js";
import { cursorNames, isId } from "./ids.js";

const MAX_DMS = 1000;

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

  /** Durable when it resolves. Call it before the message is received, so that its channel is never lost. */
  async add(id: string): Promise<void> {
    if (this.#ids.has(id)) return;
    // Added before it is saved: otherwise two new channels at the same moment would overwrite each other.
    this.#ids.add(id);
    if (this.#ids.size > MAX_DMS) this.#ids.delete(this.#ids.values().next().value!);
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
