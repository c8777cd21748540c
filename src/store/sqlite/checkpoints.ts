import { stat } from "node:fs/promises";
import type { WalPages } from "./optimize.js";
import { type CheckpointDue, Thread } from "./thread.js";

/** A checkpoint is due when this many pages are in the WAL only. */
export const WAL_PAGES = 1000;
/**
 * The WAL's size on disk after a restart; SQLite truncates the rest. A burst grows it to two or three times the pages above.
 * That stays: overwriting a file syncs two to five times faster than growing it again.
 */
export const MAX_WAL_BYTES = 4 * WAL_PAGES * 4096;
/** A process without a checkpointer leaves a smaller WAL to processes that have one. */
const WAL_PAGES_WITHOUT_THREAD = 1500;
/** Starting the thread costs as much CPU as a hundred commits, so the writer itself checkpoints after a short burst. */
const CHECKPOINTS_BEFORE_THREAD = 3;
/** Delay after a reader or another process blocked a truncation. */
const RETRY_MS = 5000;

interface Work {
  checkpoint(): Promise<WalPages>;
  /** Makes the next commit restart the WAL. False while a reader still needs it. */
  restartLog(): Promise<boolean>;
  /** Truncates the WAL. False while a reader or another writer still needs it. */
  emptyLog(): Promise<boolean>;
}

/**
 * Copies committed pages from the WAL into the file and keeps the WAL small. While writes go on this has its own
 * thread, so that commits don't wait for the disk. Only restarting the WAL needs a moment without commits and runs in
 * the writer.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #writer: Thread;
  readonly #work: Work;
  /** Ends when writes pause. Short-lived programs never start it. */
  #thread: Promise<Thread> | undefined;
  #running: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #withoutThread = 0;
  /** Grows while a long read pins pages in the WAL, to avoid a checkpoint per commit. */
  #dueAtPages = WAL_PAGES;
  /** The same for restarts. */
  #restartAtPages = WAL_PAGES;

  constructor(path: string, writer: Thread, work: Work) {
    this.#path = path;
    this.#writer = writer;
    this.#work = work;
  }

  start(): void {
    this.#writer.onCheckpointDue = (due) => this.#due(due);
  }

  async stop(): Promise<void> {
    this.#writer.onCheckpointDue = undefined;
    clearTimeout(this.#retry);
    await this.#running;
    await this.#endThread();
  }

  #due(due: CheckpointDue): void {
    if (due !== "quiet" && !this.#isDue(due.pages)) return;
    clearTimeout(this.#retry);
    this.#running ??= this.#run(due).finally(() => {
      this.#running = undefined;
    });
  }

  #isDue(pages: number): boolean {
    return pages >= (this.#thread ? this.#dueAtPages : Math.max(this.#dueAtPages, WAL_PAGES_WITHOUT_THREAD));
  }

  async #run(due: CheckpointDue): Promise<void> {
    try {
      if (due === "quiet") await this.#whileQuiet();
      else await this.#whileBusy();
    } catch {
      // For example a full disk. Everything is still in the WAL: the next checkpoint retries with a new thread.
      await this.#endThread().catch(() => undefined);
    }
  }

  async #whileBusy(): Promise<void> {
    const { log, checkpointed } = await (this.#needsThread() ? this.#checkpoint() : this.#work.checkpoint());
    this.#dueAtPages = log - checkpointed + WAL_PAGES;
    // Commits continued in the meantime. Their pages are copied between two commits.
    const restarted = log < this.#restartAtPages || (await this.#work.restartLog());
    this.#restartAtPages = restarted ? WAL_PAGES : log + WAL_PAGES;
  }

  #needsThread(): boolean {
    this.#withoutThread += 1;
    return this.#thread !== undefined || this.#withoutThread > CHECKPOINTS_BEFORE_THREAD;
  }

  async #whileQuiet(): Promise<void> {
    if ((await this.#walBytes()) > MAX_WAL_BYTES) {
      await this.#checkpoint();
      if (!(await this.#work.emptyLog())) this.#tryAgain();
    }
    await this.#endThread();
    this.#withoutThread = 0;
  }

  #tryAgain(): void {
    if (this.#writer.onCheckpointDue) this.#retry = setTimeout(() => this.#due("quiet"), RETRY_MS).unref();
  }

  async #checkpoint(): Promise<WalPages> {
    this.#thread ??= Thread.start({ role: "checkpointer", path: this.#path });
    return (await (await this.#thread).call("checkpoint", [])) as WalPages;
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await (await thread?.catch(() => undefined))?.close();
  }

  async #walBytes(): Promise<number> {
    return (await stat(`${this.#path}-wal`).catch(() => undefined))?.size ?? 0;
  }
}
