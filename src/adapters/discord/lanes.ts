/** One thing after the other in each channel, channels side by side. */

const MOST_WAITING = 20_000;

export class Lanes {
  readonly #tails = new Map<string, Promise<void>>();
  /** From when each thing is that isn't done yet. */
  readonly #since = new Map<symbol, number>();

  /** Undefined when too much waits already. */
  add(lane: string, work: () => Promise<void>, sinceMs = Date.now()): Promise<void> | undefined {
    if (this.#since.size >= MOST_WAITING) return undefined;
    const id = Symbol(lane);
    this.#since.set(id, sinceMs);
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

  /** From when the oldest thing is that isn't done. */
  get oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const sinceMs of this.#since.values()) oldest = Math.min(oldest ?? sinceMs, sinceMs);
    return oldest;
  }

  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
