/**
 * What Meta's statuses prove: which parts arrived, and as which messages. Stored before a status is acknowledged, so that
 * a crash between a send and its answer doesn't make it a repeat.
 */
import { BoundedMap } from "../../bounded-map.js";
import { SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents } from "../adapter.js";
import { isMessageId } from "./ids.js";

const CURSOR = "arrived";
/** Only a send that a crash interrupted is ever looked up, and soon after the restart. */
const MAX_KNOWN = 200;

export class Arrivals {
  readonly #events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  readonly #ids = new BoundedMap<string, string>(MAX_KNOWN);
  readonly #saves = new SerialQueue();

  private constructor(events: Pick<AdapterEvents, "cursor" | "saveCursor">) {
    this.#events = events;
  }

  static async load(events: Pick<AdapterEvents, "cursor" | "saveCursor">): Promise<Arrivals> {
    const arrivals = new Arrivals(events);
    for (const [name, id] of readPairs(await events.cursor(CURSOR))) arrivals.#ids.set(name, id);
    return arrivals;
  }

  /** Resolves when it is stored. */
  async add(name: string, id: string): Promise<void> {
    if (this.#ids.get(name) === id) return;
    await this.#saves.add(CURSOR, async () => {
      const pairs = [...this.#ids.entries().filter(([known]) => known !== name), [name, id] as const];
      await this.#events.saveCursor({ name: CURSOR, value: JSON.stringify(pairs.slice(-MAX_KNOWN)) });
      this.#ids.set(name, id);
    });
  }

  get(name: string): string | undefined {
    return this.#ids.get(name);
  }
}

function readPairs(stored: string | undefined): [string, string][] {
  try {
    const value: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(value) ? value.filter(isPair) : [];
  } catch {
    // Without them, the worst that can happen is a marked repeat.
    return [];
  }
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && typeof value[0] === "string" && isMessageId(value[1]);
}
