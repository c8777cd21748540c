import { Worker } from "node:worker_threads";
import { type ErrorCode, HermesError } from "../../errors.js";
import type { OnProgress, Progress } from "../store.js";

/** The writer says so unasked, under this number. */
export const CHECKPOINT_DUE = -1;

export interface WorkerOptions {
  /** The checkpointer writes too, but no row: it moves what is committed from the WAL into the file. */
  role: "writer" | "reader" | "checkpointer";
  path: string;
}

export interface Call {
  id: number;
  verb: string;
  args: unknown[];
}

export type Reply = { id: number } & ({ value: unknown } | { progress: Progress } | { error: WireError });

interface WireError {
  code: ErrorCode;
  message: string;
  hint: string | undefined;
  stack: string | undefined;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  onProgress: OnProgress | undefined;
}

/** More than this waiting means that the disk can't follow: better to say so than to fill the memory. */
const PENDING_MAX = 100_000;

/** Threads run compiled code, also when this file runs as TypeScript. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/store/sqlite/worker.js" : "./worker.js",
  import.meta.url,
);

/** Our side of a database thread: a call by name gives a promise. */
export class Thread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  /** Called when the writer thinks that it is time. */
  onCheckpointDue: (() => void) | undefined;
  #lastId = 0;
  #gone: HermesError | undefined;

  private constructor(options: WorkerOptions) {
    // Flags of the program (`--input-type`, a loader) are not for the thread.
    this.#worker = new Worker(ENTRY, { workerData: options, execArgv: [] });
    this.#worker.on("message", (replies: Reply[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    this.#worker.on("error", (error) => this.#end(`The database thread failed: ${error.message}`, error));
    this.#worker.on("exit", () => this.#end("The store is closed."));
  }

  static async start(options: WorkerOptions, onProgress?: OnProgress): Promise<Thread> {
    const thread = new Thread(options);
    try {
      // Call 0 is the opening itself: the worker answers it unasked.
      await thread.#expect(0, onProgress);
      return thread;
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
  }

  call(verb: string, args: unknown[], onProgress?: OnProgress): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#gone);
    if (this.#pending.size >= PENDING_MAX) {
      return Promise.reject(
        new HermesError("unavailable", "The database can't keep up: too many writes are waiting.", {
          hint: "Check the disk and other processes that hold state.db.",
        }),
      );
    }
    const id = ++this.#lastId;
    const answer = this.#expect(id, onProgress);
    this.#worker.postMessage({ id, verb, args } satisfies Call);
    return answer;
  }

  async close(): Promise<void> {
    if (this.#gone) return;
    await this.call("close", []);
    await this.#worker.terminate();
  }

  #expect(id: number, onProgress: OnProgress | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject, onProgress }));
  }

  #settle(reply: Reply): void {
    if (reply.id === CHECKPOINT_DUE) this.onCheckpointDue?.();
    const pending = this.#pending.get(reply.id);
    if (!pending) return;
    if ("progress" in reply) {
      pending.onProgress?.(reply.progress);
      return;
    }
    this.#pending.delete(reply.id);
    if ("value" in reply) pending.resolve(reply.value);
    else pending.reject(revive(reply.error));
  }

  #end(message: string, cause?: unknown): void {
    this.#gone ??= new HermesError("unavailable", message, { cause });
    for (const pending of this.#pending.values()) pending.reject(this.#gone);
    this.#pending.clear();
  }
}

/** Errors cross threads as data. The stack of a fault of ours is worth keeping. */
function revive({ code, message, hint, stack }: WireError): HermesError {
  const error = new HermesError(code, message, { hint });
  if (stack && code === "internal") error.stack = stack;
  return error;
}
