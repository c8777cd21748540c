import { Worker } from "node:worker_threads";
import { HermesError } from "../../errors.js";
import { packageFile } from "../../package-files.js";
import type { OnProgress, Progress } from "../store.js";
import { monotonicMs } from "./deadline.js";
import type { ForeignFile } from "./foreign.js";
import { fromWire, MAX_PENDING, storeClosed, tooManyPending, type WireError } from "./wire-error.js";

/** Id of the writer's unsolicited messages. */
export const CHECKPOINT_DUE = -1;
/** The WAL holds this many pages that aren't in the file yet, or no commit followed the last one for a while. */
export type CheckpointDue = { pages: number } | "quiet";

export interface WorkerOptions {
  /** The checkpointer doesn't write rows: it moves committed pages from the WAL into the file. */
  role: "writer" | "reader" | "checkpointer";
  path: string;
  /** For the writer: how to handle a file of another Hermes program. */
  foreign?: ForeignFile;
  mayMigrate?: boolean;
}

export interface Call {
  id: number;
  verb: string;
  args: unknown[];
  /** The caller wants the result before the commit. */
  early?: boolean;
  /** On the monotonic clock. Past it the caller has given up. */
  deadline?: number | undefined;
}

export type Reply = { id: number } & (
  | { value: unknown }
  | { progress: Progress }
  | { error: WireError }
  /** The result, before it is committed. */
  | { early: unknown }
  | { committed: true }
);

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  onProgress?: OnProgress | undefined;
  early?: unknown;
  deadline?: number | undefined;
  /** On the monotonic clock, like the deadline. */
  since: number;
}

type CallOptions = Pick<Pending, "onProgress" | "deadline">;

/** Threads run compiled code, even if this file runs as TypeScript. */
const ENTRY = packageFile("dist/store/sqlite/worker.js");

/** A thread this late is stuck inside a statement: reads that check their deadline end sooner. */
export const STUCK_AFTER_MS = 250;

/** This process's reader threads that haven't ended. */
const readers = new Set<Thread>();

/**
 * How long the longest read has been running; 0 if there is none. A thread inside a statement delays the end
 * of the process, even `process.exit`, until the statement is done.
 */
export const readingForMs = () => Math.max(0, ...[...readers].map((thread) => thread.busyMs(monotonicMs())));

/** Our side of a database thread: calls verbs by name. */
export class Thread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  /** Called when the writer requests a checkpoint. */
  onCheckpointDue: ((due: CheckpointDue) => void) | undefined;
  /** The worker's reply to its start. */
  opened: unknown;
  #lastId = 0;
  #gone: HermesError | undefined;
  #abandoned = false;
  /** Resolves when the worker has ended and its connection is closed. */
  readonly exited: Promise<void>;

  private constructor(options: WorkerOptions) {
    // The program's flags (`--input-type`, a loader) don't apply to the thread.
    this.#worker = new Worker(ENTRY, { workerData: options, execArgv: [] });
    this.#worker.on("message", (replies: Reply[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    this.#worker.on("error", (error) =>
      this.#end(
        new HermesError("unavailable", `The database thread failed: ${error.message}`, { cause: error }),
      ),
    );
    this.exited = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        readers.delete(this);
        this.#end(storeClosed());
        resolve();
      });
    });
    if (options.role === "reader") readers.add(this);
  }

  static async start(options: WorkerOptions, onProgress?: OnProgress): Promise<Thread> {
    const thread = new Thread(options);
    try {
      // Call 0 is the opening itself, which the worker always answers.
      thread.opened = await thread.#expect(0, { onProgress });
      return thread;
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
  }

  call(verb: string, args: unknown[], options: CallOptions = {}): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#gone);
    if (this.#pending.size >= MAX_PENDING) {
      return Promise.reject(tooManyPending());
    }
    const id = ++this.#lastId;
    const answer = this.#expect(id, options);
    const early = options.onProgress !== undefined;
    this.#worker.postMessage({ id, verb, args, early, deadline: options.deadline } satisfies Call);
    return answer;
  }

  /** How long the oldest call has waited for its answer. */
  busyMs(now: number): number {
    if (this.#abandoned) return Number.POSITIVE_INFINITY;
    const [oldest] = this.#pending.values();
    return oldest ? now - oldest.since + 1 : 0;
  }

  /** Calls are answered in order, so the thread is working on the oldest. */
  isStuck(now: number): boolean {
    const [oldest] = this.#pending.values();
    return oldest?.deadline !== undefined && now >= oldest.deadline + STUCK_AFTER_MS;
  }

  /** Abandons a thread that doesn't answer: fails open calls now; the thread ends when its statement does. */
  abandon(reason: HermesError): void {
    this.#abandoned = true;
    this.#end(reason);
    // A stuck thread may end late or never; its calls have failed already.
    this.#worker.terminate().catch(() => undefined);
    // `terminate` makes the process wait for the thread.
    this.#worker.unref();
  }

  /** Closes after all earlier calls are answered. */
  async close(): Promise<void> {
    if (this.#gone) return;
    await this.call("close", []);
    await this.#worker.terminate();
  }

  #expect(id: number, options: CallOptions): Promise<unknown> {
    const since = monotonicMs();
    return new Promise((resolve, reject) => this.#pending.set(id, { ...options, since, resolve, reject }));
  }

  #settle(reply: Reply): void {
    if (reply.id === CHECKPOINT_DUE && "value" in reply) this.onCheckpointDue?.(reply.value as CheckpointDue);
    const pending = this.#pending.get(reply.id);
    if (!pending) return;
    if ("progress" in reply) {
      pending.onProgress?.(reply.progress);
      return;
    }
    if ("early" in reply) {
      pending.early = reply.early;
      // Its listener takes the result, not a step on the way to it.
      pending.onProgress?.(reply.early as Progress);
      return;
    }
    this.#pending.delete(reply.id);
    if ("value" in reply) pending.resolve(reply.value);
    else if ("committed" in reply) pending.resolve(pending.early);
    else pending.reject(fromWire(reply.error));
  }

  #end(reason: HermesError): void {
    this.#gone ??= reason;
    for (const pending of this.#pending.values()) pending.reject(this.#gone);
    this.#pending.clear();
  }
}
