import { Worker } from "node:worker_threads";
import { HermesError } from "../errors.js";
import { packageFile } from "../package-files.js";
import type { WrittenIndex } from "./index-stamp.js";

/** The thread's calls. */
export interface FileVerbs {
  /** Appends to a transcript. A new file starts with `first`. */
  append: { args: { path: string; first: string; text: string }; returns: undefined };
  /** Writes `sessions.json` from the database. `busyMs`: the thread's time spent on it. */
  writeIndex: {
    args: { path: string; stateDb: string; except: string };
    returns: { busyMs: number; written: WrittenIndex };
  };
  /** Renames a `sessions.json` that can't be read. */
  setAsideIfCorrupt: {
    args: { path: string };
    returns: { reason: string; aside: string } | undefined;
  };
}

export interface Call<V extends keyof FileVerbs = keyof FileVerbs> {
  id: number;
  verb: V;
  args: FileVerbs[V]["args"];
}

export type Reply = { id: number } & ({ value: unknown } | { error: { message: string; code?: string } });

interface Pending {
  resolve(value: never): void;
  reject(error: Error): void;
}

/** Threads always run compiled code, even if this file runs as TypeScript. */
const ENTRY = packageFile("dist/sessions/files-worker.js");
const IDLE_MS = 10_000;
/** More pending calls mean that the disk can't keep up. */
const MAX_PENDING = 10_000;
/** Rendering creates short-lived garbage: a small young generation collects it early. */
const YOUNG_GENERATION_MB = 16;

/**
 * Writes the files of the sessions folder in a separate thread, to keep the event loop free. The thread starts with the
 * first call, ends when idle, and doesn't keep the process alive without pending calls.
 */
export class FilesThread {
  readonly #pending = new Map<number, Pending>();
  #unsent: Call[] = [];
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  call<V extends keyof FileVerbs>(verb: V, args: FileVerbs[V]["args"]): Promise<FileVerbs[V]["returns"]> {
    if (this.#pending.size >= MAX_PENDING) {
      return Promise.reject(
        new HermesError("unavailable", "The disk can't keep up: too many writes are pending.", {
          hint: "Check the disk of the home: is it full, slow or read-only?",
        }),
      );
    }
    this.#worker ??= this.#start();
    const worker = this.#worker;
    clearTimeout(this.#idle);
    worker.ref();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      // Calls of the same moment travel together.
      if (this.#unsent.push({ id, verb, args }) === 1) process.nextTick(() => this.#send());
    });
  }

  #send(): void {
    const calls = this.#unsent;
    this.#unsent = [];
    this.#worker?.postMessage(calls);
  }

  /** Ends the thread. Call it after the last write. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (!worker) return;
    this.#end(worker, new Error("The file-writing thread was closed."));
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, {
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.on("message", (replies: Reply[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    worker.on("error", (error) => this.#end(worker, error));
    worker.on("exit", () => this.#end(worker, new Error("The file-writing thread has exited.")));
    return worker;
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("value" in reply) pending?.resolve(reply.value as never);
    else pending?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
    if (this.#pending.size > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  /** The next call starts a new thread. */
  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#unsent = [];
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
