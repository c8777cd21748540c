/** Slows down whoever tries tokens: so many wrong ones a minute from one address, then none is looked at. */

const WINDOW_MS = 60_000;
const MOST_WRONG = 10;
const MOST_ADDRESSES = 10_000;

export class Guesses {
  readonly #wrong = new Map<string, { count: number; since: number }>();

  check(address: string, isRight: () => boolean, now = performance.now()): "right" | "wrong" | "too_many" {
    const seen = this.#wrong.get(address);
    const recent = seen && now - seen.since < WINDOW_MS ? seen : { count: 0, since: now };
    if (recent.count >= MOST_WRONG) return "too_many";
    if (isRight()) return "right";
    this.#wrong.delete(address);
    this.#wrong.set(address, { count: recent.count + 1, since: recent.since });
    // The oldest goes first: Map keeps the order of insertion.
    if (this.#wrong.size > MOST_ADDRESSES) this.#wrong.delete(this.#wrong.keys().next().value!);
    return "wrong";
  }
}
