import type { HookModule } from "./find.js";
import { type Hook, type HookReports, HookTimeout } from "./hook.js";
import type { HookEvent } from "./hook-events.js";
import { HookQueue } from "./hook-queue.js";
import { HookThread } from "./thread.js";

const MAX_WAITING = 1000;
/** Consecutive timeouts before a hook is disabled until the next start. */
const MAX_TIMEOUTS = 3;
const MAX_LINE_CHARS = 300;

/** A module in `hooks/<name>/`. */
export class ModuleHook implements Hook {
  readonly name: string;
  readonly events: readonly string[];
  readonly decides = true;
  readonly #thread: HookThread;
  readonly #queue: HookQueue<HookEvent>;
  readonly #timeoutMs: number;
  readonly #reports: HookReports;
  #failing = false;
  #timeouts = 0;

  constructor({ name, events, file }: HookModule, timeoutMs: number, reports: HookReports) {
    this.name = name;
    this.events = events;
    this.#timeoutMs = timeoutMs;
    this.#reports = reports;
    this.#thread = new HookThread(file, (line) => reports.printed(name, line.slice(0, MAX_LINE_CHARS)));
    // A failure is already reported.
    this.#queue = new HookQueue(MAX_WAITING, (event) => this.call(event).then(ignore, ignore));
  }

  /** Loads the module now, so that errors show up at start. */
  async start(): Promise<void> {
    await this.#thread.load().catch((error: unknown) => this.#failed("load", error));
  }

  notify(event: HookEvent): void {
    if (this.#isDisabled) return;
    if (!this.#queue.push(event)) this.#reports.outcome(this.name, "dropped");
  }

  async call(event: HookEvent): Promise<unknown> {
    if (this.#isDisabled)
      throw new Error("The hook timed out too often and is disabled until the next start");
    try {
      const result = await this.#thread.call(event, this.#timeoutMs);
      this.#failing = false;
      this.#timeouts = 0;
      this.#reports.outcome(this.name, "ok");
      return result;
    } catch (error) {
      this.#failed(event.name, error);
      throw error;
    }
  }

  async close(graceMs: number): Promise<void> {
    await this.#queue.close(graceMs);
    await this.#thread.close();
  }

  get #isDisabled(): boolean {
    return this.#timeouts >= MAX_TIMEOUTS;
  }

  #failed(event: string, error: unknown): void {
    const late = error instanceof HookTimeout;
    this.#reports.outcome(this.name, late ? "timeout" : "failed");
    if (!this.#failing) this.#reports.failed(this.name, event, error);
    this.#failing = true;
    if (!late) return;
    this.#timeouts += 1;
    if (this.#isDisabled) this.#reports.gaveUp(this.name, `${MAX_TIMEOUTS} timeouts in a row`);
  }
}

const ignore = () => undefined;
