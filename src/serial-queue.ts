/** Runs work in order per key; keys run in parallel. */

const MAX_PENDING = 10_000;

export class QueueFullError extends Error {}

export class SerialQueue<K = string> {
  readonly #tails = new Map<K, Promise<void>>();
  readonly #maxPending: number;
  #pending = 0;

  constructor(maxPending = MAX_PENDING) {
    this.#maxPending = maxPending;
  }

  /** Running and waiting work of all keys. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Settles like the work; a failure doesn't affect later work. Rejects with a QueueFullError if too much is
   * pending. The caller handles the rejection.
   */
  add<T>(key: K, work: () => T | Promise<T>): Promise<T> {
    if (this.#pending >= this.#maxPending)
      return Promise.reject(new QueueFullError(`${this.#pending} jobs are pending`));
    this.#pending++;
    const done = (this.#tails.get(key) ?? Promise.resolve()).then(work).finally(() => {
      this.#pending--;
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    const tail = done.then(ignore, ignore);
    this.#tails.set(key, tail);
    return done;
  }

  /** Resolves when nothing is pending, including work that was added in the meantime. Never rejects. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}

const ignore = () => undefined;
