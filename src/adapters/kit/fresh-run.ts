/** Shares runs of a read between callers. A caller never gets a run that started before its call, so the result is never stale. */
export class FreshRun {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Settles with a run that starts after this call. The caller handles rejections. */
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
