import { Worker } from "node:worker_threads";
import { HermesError } from "../errors.js";
import { packageFile } from "../package-files.js";
import type { WrittenIndex } from "./index-stamp.js";

/** What the thread can be asked. */
export interface FileVerbs {
  /** Adds to a transcript; `first` goes before it where the file is new. */
  append: { takes: { path: string; first: string; text: string }; gives: undefined };
  /** Writes `sessions.json` from the database. `busyMs`: how long the thread was busy with it. */
  writeIndex: {
    takes: { path: string; stateDb: string; except: string };
    gives: { busyMs: number; written: WrittenIndex };
  };
  /** Looks whether another program left a `sessions.json` that can't be read. */
  setAsideIfCorrupt: {
    takes: { path: string };
    gives: { reason: string; aside: string } | undefined;
  };
}

export interface Call<V extends keyof FileVerbs = keyof FileVerbs> {
  id: number;
  verb: V;
  args: FileVerbs[V]["takes"];
}

export type Reply = { id: number } & ({ value: unknown } | { error: { message: string; code?: string } });

interface Pending {
  resolve(value: never): void;
  reject(error: Error): void;
}

/** Threads run compiled code, also when this file runs as TypeScript. */
const ENTRY = packageFile("dist/sessions/files-worker.js");
const IDLE_MS = 10_000;
/** More than this waiting means that the disk can't keep up. */
const MAX_PENDING = 10_000;
/** Rendering makes much garbage that dies at once: there is no need to let it pile up. */
const YOUNG_GENERATION_MB = 16;

/**
 * Writes files of the sessions folder in a thread of its own, so that the event loop spends next to nothing on them.
 * The thread starts with the first call and ends when there was none for a while; it keeps no process alive that has
 * nothing to wait for.
 */
export class FilesThread {
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  call<V extends keyof FileVerbs>(verb: V, args: FileVerbs[V]["takes"]): Promise<FileVerbs[V]["gives"]> {
    if (this.#pending.size >= MAX_PENDING) {
      return Promise.reject(
        new HermesError("unavailable", "The disk can't keep up: too many files are waiting to be written.", {
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
      worker.postMessage({ id, verb, args } satisfies Call<V>);
    });
  }

  /** Ends the thread: call it when nothing is being written any more. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (!worker) return;
    this.#end(worker, new Error("The thread that writes files was closed."));
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, {
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.on("message", (reply: Reply) => this.#settle(reply));
    worker.on("error", (error) => this.#end(worker, error));
    worker.on("exit", () => this.#end(worker, new Error("The thread that writes files has ended.")));
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

  /** The next call starts another. */
  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
