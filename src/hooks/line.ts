/** A bounded serial queue for one hook. When full, new work is dropped and reported. */
export class Line<T> {
  readonly #most: number;
  readonly #work: (item: T) => Promise<void>;
  readonly #waiting: T[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  /** `work` never rejects. */
  constructor(most: number, work: (item: T) => Promise<void>) {
    this.#most = most;
    this.#work = work;
  }

  /** False if the queue is full. */
  push(item: T): boolean {
    if (this.#closed || this.#waiting.length >= this.#most) return false;
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
