/** A bounded serial queue for one hook. When it is full, new items are rejected. */
export class HookQueue<T> {
  readonly #maxWaiting: number;
  readonly #work: (item: T) => Promise<void>;
  readonly #waiting: T[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  /** `work` never rejects. */
  constructor(maxWaiting: number, work: (item: T) => Promise<void>) {
    this.#maxWaiting = maxWaiting;
    this.#work = work;
  }

  /** False if the queue is full or closed. */
  push(item: T): boolean {
    if (this.#closed || this.#waiting.length >= this.#maxWaiting) return false;
    this.#waiting.push(item);
    this.#running ??= this.#run();
    return true;
  }

  /** Drains the queue for up to this long, then drops the rest. */
  async close(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([this.#running, late]);
    clearTimeout(timer);
    this.#closed = true;
    this.#waiting.length = 0;
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#work(next);
    }
    this.#running = undefined;
  }
}
