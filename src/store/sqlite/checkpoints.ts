import { stat } from "node:fs/promises";
import { type CheckpointDue, Thread } from "./thread.js";

/** Less isn't worth a wait of the writer's. */
const WAL_PAGES = 1000;
/** What the file may keep when it begins anew; the rest goes back to the disk. */
export const MAX_WAL_BYTES = WAL_PAGES * 4096;
/** After a reader or another process was in the way. */
const RETRY_MS = 5000;

interface Work {
  /** Lets the WAL begin anew with the next commit, if nobody reads from it. */
  restartLog(): Promise<boolean>;
  /** Cuts the WAL to nothing, if nobody reads from it or writes. */
  emptyLog(): Promise<boolean>;
}

/**
 * Moves what is committed from the WAL into the file, and keeps the WAL small. In a thread of its own: a commit should
 * not wait until the file is on the disk. Only the last step, which needs a moment without commits, is the writer's.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #writer: Thread;
  readonly #work: Work;
  /** Ends in quiet moments; short-lived programs never start it. */
  #thread: Promise<Thread> | undefined;
  #running: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** The next attempt to begin the WAL anew is due at this many pages: a long read isn't waited for again and again. */
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
    clearTimeout(this.#retry);
    this.#running ??= this.#run(due).finally(() => {
      this.#running = undefined;
    });
  }

  async #run(due: CheckpointDue): Promise<void> {
    try {
      if (due === "commits") await this.#whileBusy();
      else await this.#whileQuiet();
    } catch {
      // A full disk, say. Everything is in the WAL: the next checkpoint tries again, with a new thread.
      await this.#endThread().catch(() => undefined);
    }
  }

  async #whileBusy(): Promise<void> {
    const pages = await this.#checkpoint();
    // Writes went on meanwhile. Only between two of them can the last pages follow.
    const restarted = pages < this.#restartAtPages || (await this.#work.restartLog());
    this.#restartAtPages = restarted ? WAL_PAGES : pages + WAL_PAGES;
  }

  async #whileQuiet(): Promise<void> {
    if ((await this.#walBytes()) > MAX_WAL_BYTES) {
      await this.#checkpoint();
      if (!(await this.#work.emptyLog())) this.#tryAgain();
    }
    await this.#endThread();
  }

  #tryAgain(): void {
    if (this.#writer.onCheckpointDue) this.#retry = setTimeout(() => this.#due("quiet"), RETRY_MS).unref();
  }

  async #checkpoint(): Promise<number> {
    this.#thread ??= Thread.start({ role: "checkpointer", path: this.#path });
    return (await (await this.#thread).call("checkpoint", [])) as number;
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
