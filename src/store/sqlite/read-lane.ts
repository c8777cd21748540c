import { HermesError } from "../../errors.js";
import { deadlineError, monotonicMs } from "./deadline.js";
import { STUCK_AFTER_MS, Thread } from "./thread.js";
import { storeClosed } from "./wire-error.js";

export interface LaneOptions {
  path: string;
  deadlineMs: number;
  /** The thread ends after this time without a read, to free its memory. Default: it stays. */
  idleMs?: number;
}

/** Maximum stuck threads. Each has a connection and pins the WAL. */
const MAX_STUCK = 2;
/** How long closing waits for running reads. */
const CLOSE_MS = 1000;

/**
 * A reader thread, started on demand. Past its deadline a read fails, even if the thread doesn't answer. A
 * thread stuck inside a statement is abandoned, and a new one takes over the reads queued behind it.
 */
export class ReadLane {
  readonly #options: LaneOptions;
  #thread: Promise<Thread> | undefined;
  readonly #stuck = new Set<Thread>();
  /** Work that needs the file without our readers. */
  #alone: Promise<unknown> | undefined;
  #closed = false;
  #reads = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  async call(verb: string, args: unknown[], deadlineMs = this.#options.deadlineMs): Promise<unknown> {
    clearTimeout(this.#idle);
    this.#reads += 1;
    let late: NodeJS.Timeout | undefined;
    try {
      // The deadline starts once the file may be read.
      while (this.#alone) await this.#alone;
      return await new Promise((resolve, reject) => {
        late = setTimeout(() => {
          reject(deadlineError(verb));
          setTimeout(() => void this.#replaceStuck(), STUCK_AFTER_MS + 1).unref();
        }, deadlineMs);
        this.#ask(verb, args, monotonicMs() + deadlineMs).then(resolve, reject);
      });
    } finally {
      clearTimeout(late);
      this.#reads -= 1;
      if (this.#reads === 0) this.#endWhenIdle();
    }
  }

  /** Runs work while this lane has no reader. New reads wait. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#end(this.#options.deadlineMs).then(work);
    const over = done.then(
      () => undefined,
      () => undefined,
    );
    this.#alone = over;
    void over.then(() => {
      if (this.#alone === over) this.#alone = undefined;
    });
    return done;
  }

  /** Running reads get a moment to finish; then they fail without waiting for the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#end(CLOSE_MS);
  }

  async #ask(verb: string, args: unknown[], deadline: number): Promise<unknown> {
    for (;;) {
      const thread = await this.#start();
      try {
        return await thread.call(verb, args, { deadline });
      } catch (error) {
        // Repeats reads queued behind the stuck one. The stuck one itself has missed its deadline.
        if (!this.#stuck.has(thread) || monotonicMs() >= deadline) throw error;
      }
    }
  }

  #start(): Promise<Thread> {
    if (this.#closed) return Promise.reject(storeClosed());
    if (this.#thread) return this.#thread;
    if (this.#stuck.size >= MAX_STUCK) return Promise.reject(allStuck());
    const started = Thread.start({ role: "reader", path: this.#options.path });
    this.#thread = started;
    // Drop a thread that could not start; the next read tries again.
    started.catch(() => {
      if (this.#thread === started) this.#thread = undefined;
    });
    return started;
  }

  /** Resolves when all calls are answered or time is up. */
  async #end(withinMs: number): Promise<void> {
    const started = this.#thread;
    this.#thread = undefined;
    const thread = await started?.catch(() => undefined);
    if (!thread) return;
    const late = setTimeout(() => this.#abandon(thread, storeClosed()), withinMs);
    // Fails if it was abandoned; its callers know.
    await thread.close().catch(() => undefined);
    clearTimeout(late);
  }

  #endWhenIdle(): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#closed) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#end(CLOSE_MS), idleMs).unref();
  }

  async #replaceStuck(): Promise<void> {
    const current = this.#thread;
    const thread = await current?.catch(() => undefined);
    if (!thread?.isStuck(monotonicMs()) || this.#thread !== current) return;
    this.#thread = undefined;
    this.#abandon(thread, allStuck());
  }

  #abandon(thread: Thread, reason: HermesError): void {
    this.#stuck.add(thread);
    void thread.exited.then(() => this.#stuck.delete(thread));
    thread.abandon(reason);
  }
}

function allStuck(): HermesError {
  return new HermesError("unavailable", "The database doesn't answer: every thread that reads it is stuck.", {
    hint: "Check the disk and the load. Writes still work; a restart ends stuck threads.",
  });
}
