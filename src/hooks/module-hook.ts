import type { HookModule } from "./find.js";
import { type Hook, type HookReports, HookTimeout } from "./hook.js";
import type { HookEvent } from "./hook-events.js";
import { Line } from "./line.js";
import { HookThread } from "./thread.js";

const MAX_WAITING = 1000;
/** Consecutive timeouts before a hook is disabled until the next start. */
const MAX_TIMEOUTS = 3;
const SAID_CHARS = 300;

/** A module in `hooks/<name>/`. */
export class ModuleHook implements Hook {
  readonly name: string;
  readonly events: readonly string[];
  readonly decides = true;
  readonly #thread: HookThread;
  readonly #line: Line<HookEvent>;
  readonly #timeoutMs: number;
  readonly #reports: HookReports;
  #failing = false;
  #timeouts = 0;

  constructor({ name, events, file }: HookModule, timeoutMs: number, reports: HookReports) {
    this.name = name;
    this.events = events;
    this.#timeoutMs = timeoutMs;
    this.#reports = reports;
    this.#thread = new HookThread(file, (line) => reports.said(name, line.slice(0, SAID_CHARS)));
    // Already reported.
    this.#line = new Line(MAX_WAITING, (event) => this.ask(event).then(ignore, ignore));
  }

  /** Loads the module now, so that errors show up at start. */
  async start(): Promise<void> {
    await this.#thread.load().catch((error: unknown) => this.#failed("load", error));
  }

  tell(event: HookEvent): void {
    if (this.#isOut) return;
    if (!this.#line.push(event)) this.#reports.outcome(this.name, "dropped");
  }

  async ask(event: HookEvent): Promise<unknown> {
    if (this.#isOut) throw new Error("The hook timed out too often and is disabled until the next start");
    try {
      const result = await this.#thread.ask(event, this.#timeoutMs);
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
    await this.#line.close(graceMs);
    await this.#thread.close();
  }

  get #isOut(): boolean {
    return this.#timeouts >= MAX_TIMEOUTS;
  }

  #failed(event: string, error: unknown): void {
    const late = error instanceof HookTimeout;
    this.#reports.outcome(this.name, late ? "timeout" : "failed");
    if (!this.#failing) this.#reports.failed(this.name, event, error);
    this.#failing = true;
    if (!late) return;
    this.#timeouts += 1;
    if (this.#isOut) this.#reports.gaveUp(this.name, `${MAX_TIMEOUTS} timeouts in a row`);
  }
}

const ignore = () => undefined;
