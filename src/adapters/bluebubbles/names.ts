/** The names of people, from the Mac's contacts. */
import { BoundedMap } from "../../bounded-map.js";
import type { BlueBubblesApi } from "./api.js";

const MAX_KNOWN = 1000;
const MAX_CHARS = 200;
/** A contact may be added or renamed. */
const FRESH_MS = 3_600_000;

export class Names {
  readonly #api: BlueBubblesApi;
  readonly #known = new BoundedMap<string, { name: string | null; atMs: number }>(MAX_KNOWN);

  constructor(api: BlueBubblesApi) {
    this.#api = api;
  }

  /** Null if the Mac has no contact with this address, or can't be asked: a message is received without a name too. */
  async of(address: string, signal: AbortSignal): Promise<string | null> {
    const known = this.#known.get(address);
    if (known && performance.now() - known.atMs < FRESH_MS) return known.name;
    const contacts = await this.#api.contacts(address, signal).catch(() => undefined);
    if (!contacts) return known?.name ?? null;
    const name = contacts.map(nameOf).find((text) => text !== "") ?? null;
    this.#known.set(address, { name, atMs: performance.now() });
    return name;
  }
}

function nameOf({ displayName, firstName, lastName }: Record<string, unknown>): string {
  const isText = (text: unknown) => typeof text === "string" && text !== "";
  const words = isText(displayName) ? [displayName] : [firstName, lastName].filter(isText);
  return words.join(" ").slice(0, MAX_CHARS);
}
