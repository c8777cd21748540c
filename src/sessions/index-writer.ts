import type { Store } from "../store/store.js";
import type { FilesThread } from "./files-thread.js";
import { INDEX_WRITTEN } from "./index-stamp.js";

const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 300_000;
/** A write that takes one second is followed by a minute without writes: 1.7 % of a core. */
const REST = 60;

export interface IndexWriterOptions {
  path: string;
  stateDb: string;
  /** A platform whose routes aren't in the file. */
  except: string;
  files: FilesThread;
  store: Pick<Store, "setValue">;
  /** A write failed. The next change retries it. */
  onError(error: unknown): void;
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
}

/**
 * Keeps `sessions.json` up to date. After a change, a thread writes the whole file from the database: once a second if
 * that is cheap, less often if it is expensive.
 */
export class IndexWriter {
  readonly #options: IndexWriterOptions;
  readonly #now: () => number;
  #changed = false;
  #closed = false;
  #nextAt: number;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: IndexWriterOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#nextAt = this.#now() + MIN_WAIT_MS;
  }

  changed(): void {
    this.#changed = true;
    this.#schedule();
  }

  /** Resolves when all changes so far are written or their failure was reported. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#changed) await this.#write();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.flush();
  }

  #schedule(): void {
    if (this.#timer || this.#writing || this.#closed) return;
    // Doesn't keep the process alive: a regular shutdown closes the writer first.
    this.#timer = setTimeout(() => void this.#write(), Math.max(0, this.#nextAt - this.#now())).unref();
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changed = false;
    this.#writing = this.#save().then(
      (busyMs) => this.#ended(busyMs),
      (error: unknown) => {
        this.#ended(0);
        this.#changed = true;
        this.#options.onError(error);
      },
    );
    return this.#writing;
  }

  #ended(busyMs: number): void {
    this.#writing = undefined;
    this.#nextAt = this.#now() + waitAfter(busyMs);
    if (this.#changed) this.#schedule();
  }

  async #save(): Promise<number> {
    const { files, store, path, stateDb, except } = this.#options;
    const { busyMs, written } = await files.call("writeIndex", { path, stateDb, except });
    await store.setValue(INDEX_WRITTEN, JSON.stringify(written));
    return busyMs;
  }
}

/** Minimum delay between the end of a write and the next one. */
export function waitAfter(busyMs: number): number {
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, busyMs * REST));
}
