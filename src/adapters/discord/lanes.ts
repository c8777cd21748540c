/** One thing after the other in each channel, channels side by side. */

const MOST_WAITING = 20_000;

export class Lanes {
  readonly #tails = new Map<string, Promise<void>>();
  /** When each thing that isn't done yet came in, oldest first. */
  readonly #since = new Map<symbol, number>();

  /** Undefined when too much waits already. */
  add(lane: string, work: () => Promise<void>): Promise<void> | undefined {
    if (this.#since.size >= MOST_WAITING) return undefined;
    const id = Symbol(lane);
    this.#since.set(id, Date.now());
    const before = this.#tails.get(lane) ?? Promise.resolve();
    const done = before.then(work).finally(() => this.#since.delete(id));
    const tail = done
      .catch(() => {})
      .then(() => {
        if (this.#tails.get(lane) === tail) this.#tails.delete(lane);
      });
    this.#tails.set(lane, tail);
    return done;
  }

  /** When the oldest thing came in that isn't done. */
  get oldestMs(): number | undefined {
    return this.#since.values().next().value;
  }

  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
