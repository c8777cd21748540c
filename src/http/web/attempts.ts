/** Limits logins to ten failures per address and minute. */

import { BoundedMap } from "../../bounded-map.js";
import { HermesError } from "../../errors.js";

const WINDOW_MS = 60_000;
const MAX_FAILED = 10;
const MAX_ADDRESSES = 10_000;

export class Attempts {
  readonly #failed = new BoundedMap<string, { count: number; since: number }>(MAX_ADDRESSES);

  /** Counts the attempt before it is checked, because attempts may run in parallel. Throws over the limit. */
  begin(address: string, now = performance.now()): void {
    const seen = this.#failed.get(address);
    const recent = seen && now - seen.since < WINDOW_MS ? seen : { count: 0, since: now };
    if (recent.count >= MAX_FAILED) throw new HermesError("refused", "Too many failed logins; wait a minute");
    this.#failed.set(address, { count: recent.count + 1, since: recent.since });
  }

  /** Uncounts only this attempt: a login must not reset the limit for guesses of other people's passwords. */
  succeeded(address: string): void {
    const seen = this.#failed.get(address);
    if (seen) this.#failed.set(address, { ...seen, count: seen.count - 1 });
  }
}
