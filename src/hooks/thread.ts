import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { packageFile } from "../package-files.js";
import { HookTimeout } from "./hook.js";
import type { HookEvent } from "./hook-events.js";

export interface HookRequest {
  id: number;
  event: string;
  context: Record<string, unknown>;
}

export type HookResponse = { id: number } & ({ result: unknown } | { error: string });

/** The id of the thread's first message: the module is loaded, or failed to load. */
export const LOADED = 0;

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Threads run compiled code, even if this file runs as TypeScript. */
const ENTRY = packageFile("dist/hooks/worker.js");
const MEMORY_MB = 256;
const LOAD_MS = 10_000;

/** Runs a hook module in its own thread, so that it can't block ours. */
export class HookThread {
  readonly #file: string;
  readonly #onLine: (line: string) => void;
  readonly #pending = new Map<number, Pending>();
  #running: { worker: Worker; loaded: Promise<unknown> } | undefined;
  #lastId = LOADED;

  constructor(file: string, onLine: (line: string) => void) {
    this.#file = file;
    this.#onLine = onLine;
  }

  /** Resolves when the module is loaded. A load error persists until the thread is closed. */
  async load(): Promise<void> {
    this.#running ??= this.#start();
    await this.#running.loaded;
  }

  /** On timeout, rejects with HookTimeout and terminates the thread: nothing else stops a busy loop. */
  async call({ name, context }: HookEvent, timeoutMs: number): Promise<unknown> {
    await this.load();
    const id = ++this.#lastId;
    const response = this.#expect(id, timeoutMs);
    this.#running?.worker.postMessage({ id, event: name, context } satisfies HookRequest);
    return response;
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#end(new Error("The hook's thread was closed"));
    await running?.worker.terminate();
  }

  #start() {
    const worker = new Worker(ENTRY, {
      workerData: { file: this.#file },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    // Hooks don't keep the process alive.
    worker.unref();
    const endIfCurrent = (error: Error) => {
      if (this.#running?.worker === worker) this.#end(error);
    };
    worker.on("message", (response: HookResponse) => this.#settle(response));
    worker.on("error", endIfCurrent);
    worker.on("exit", () => endIfCurrent(new Error("The hook ended its thread")));
    for (const stream of [worker.stdout, worker.stderr])
      createInterface(stream).on("line", (line) => this.#onLine(line));
    const loaded = this.#expect(LOADED, LOAD_MS);
    // Callers of `loaded` report a failure.
    loaded.catch(() => undefined);
    return { worker, loaded };
  }

  #expect(id: number, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new HookTimeout(`took longer than ${timeoutMs / 1000} s`));
        void this.close();
      }, timeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
    });
  }

  #settle(response: HookResponse): void {
    const pending = this.#pending.get(response.id);
    if (!pending) return;
    this.#pending.delete(response.id);
    clearTimeout(pending.timer);
    if ("error" in response) pending.reject(new Error(response.error));
    else pending.resolve(response.result);
  }

  #end(error: Error): void {
    this.#running = undefined;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#pending.clear();
  }
}
