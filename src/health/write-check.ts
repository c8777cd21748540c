/**
 * Checks whether the database can be written. An empty transaction succeeds even on a full disk, so the check
 * updates a row. The result is cached for a few seconds, unless a write has failed since.
 */
export interface WriteCheckOptions {
  /** Updates a row. */
  write(): Promise<unknown>;
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
}

export type WriteResult = "ok" | { error: unknown };

const CACHE_MS = 5000;

export class WriteCheck {
  readonly #write: () => Promise<unknown>;
  readonly #now: () => number;
  #at = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #result: WriteResult = "ok";
  #running: Promise<WriteResult> | undefined;

  constructor({ write, now = () => performance.now() }: WriteCheckOptions) {
    this.#write = write;
    this.#now = now;
  }

  /** The cached result, and how many writes had failed by then. */
  get last(): { result: WriteResult; failures: number } {
    return { result: this.#result, failures: this.#failures };
  }

  /** `failures`: writes that have failed so far. Waits for the test write, without a timeout. */
  result(failures: number): Promise<WriteResult> {
    const isCached = failures === this.#failures && this.#now() - this.#at < CACHE_MS;
    if (isCached && !this.#running) return Promise.resolve(this.#result);
    this.#running ??= this.#run(failures).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(failures: number): Promise<WriteResult> {
    this.#result = await this.#write().then(
      () => "ok" as const,
      (error: unknown) => ({ error }),
    );
    this.#at = this.#now();
    // A failed check is itself a failed write.
    this.#failures = this.#result === "ok" ? failures : failures + 1;
    return this.#result;
  }
}
