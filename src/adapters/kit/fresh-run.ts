/** Work that shows the state of now, such as reading a list: callers share a run, but never one that has already begun. */
export class FreshRun {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Settles as a run does that begins after this call. The caller handles the rejection. */
  run(): Promise<void> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<void> {
    const run = this.#work();
    const end = () => {
      this.#running = undefined;
    };
    this.#running = run.then(end, end);
    return run;
  }
}
