/** Limits wrong tokens per address and minute. Over the limit, tokens aren't checked. */

const WINDOW_MS = 60_000;
const MAX_WRONG = 10;
const MAX_ADDRESSES = 10_000;

export class LoginThrottle {
  readonly #wrong = new Map<string, { count: number; since: number }>();

  check(address: string, isRight: () => boolean, now = performance.now()): "right" | "wrong" | "too_many" {
    const seen = this.#wrong.get(address);
    const recent = seen && now - seen.since < WINDOW_MS ? seen : { count: 0, since: now };
    if (recent.count >= MAX_WRONG) return "too_many";
    if (isRight()) return "right";
    this.#wrong.delete(address);
    this.#wrong.set(address, { count: recent.count + 1, since: recent.since });
    // Drops the oldest entry: a Map iterates in insertion order.
    if (this.#wrong.size > MAX_ADDRESSES) this.#wrong.delete(this.#wrong.keys().next().value!);
    return "wrong";
  }
}
