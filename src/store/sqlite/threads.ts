import type { OnProgress, WriterStats } from "../store.js";
import { Checkpoints } from "./checkpoints.js";
import { BULK_MS, type Engine, type EngineOptions, withoutListener } from "./engine.js";
import type { WalPages } from "./optimize.js";
import { ReadLane } from "./read-lane.js";
import { Thread } from "./thread.js";
import type { Modes } from "./verbs.js";
import { storeClosed } from "./wire-error.js";

/**
 * Runs the verbs on threads, so that the event loop never waits for the disk: one for writes, one for short
 * reads and one for long reads.
 */
export class ThreadEngine implements Engine {
  readonly modes: Modes;
  readonly #path: string;
  readonly #writer: Thread;
  readonly #shortReads: ReadLane;
  readonly #longReads: ReadLane;
  readonly #checkpoints: Checkpoints;
  /** Threads that check or copy the file. */
  readonly #atWork = new Set<Thread>();

  private constructor({ path, limits }: EngineOptions, writer: Thread) {
    const { shortMs, longMs, idleMs } = limits;
    this.#path = path;
    this.#writer = writer;
    // The writer knows its verbs; this thread doesn't load them.
    this.modes = writer.opened as Modes;
    this.#shortReads = new ReadLane({ path, deadlineMs: shortMs });
    this.#longReads = new ReadLane({ path, deadlineMs: longMs, idleMs });
    this.#checkpoints = new Checkpoints(path, writer, {
      checkpoint: () => writer.call("checkpoint", []) as Promise<WalPages>,
      restartLog: () => writer.call("restartLog", []) as Promise<boolean>,
      emptyLog: () => writer.call("emptyLog", []) as Promise<boolean>,
    });
    this.#checkpoints.start();
  }

  static async open(options: EngineOptions): Promise<ThreadEngine> {
    const { path, foreign, mayMigrate, onProgress } = options;
    const writer = await Thread.start({ role: "writer", path, foreign, mayMigrate }, onProgress);
    return new ThreadEngine(options, writer);
  }

  call(verb: string, args: readonly unknown[]): Promise<unknown> {
    const { plain, onProgress } = withoutListener(args);
    switch (this.modes[verb]) {
      case "read":
        return this.#shortReads.call(verb, plain);
      case "longRead":
        return this.#longReads.call(verb, plain);
      case "bulkRead":
        return this.#longReads.call(verb, plain, BULK_MS);
      case "apart":
        return this.#apart(verb, plain, onProgress);
      default:
        return this.#writer.call(verb, plain, { onProgress });
    }
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#shortReads.alone(() =>
      this.#longReads.alone(async () => {
        await this.#checkpoints.stop();
        this.#checkpoints.start();
        return work();
      }),
    );
  }

  writerStats(): Promise<WriterStats> {
    return this.#writer.call("writerStats", []) as Promise<WriterStats>;
  }

  /** The writer closes last if the readers have ended, because the last connection removes the WAL. */
  async close(): Promise<void> {
    for (const thread of this.#atWork) thread.abandon(storeClosed());
    await Promise.all([this.#shortReads.close(), this.#longReads.close(), this.#checkpoints.stop()]);
    await this.#writer.close();
  }

  /** Maintenance may take minutes, so it gets its own thread. */
  async #apart(verb: string, args: unknown[], onProgress?: OnProgress): Promise<unknown> {
    const thread = await Thread.start({ role: "reader", path: this.#path });
    this.#atWork.add(thread);
    try {
      return await thread.call(verb, args, { onProgress });
    } finally {
      this.#atWork.delete(thread);
      await thread.close();
    }
  }
}
