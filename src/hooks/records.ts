import { nowSeconds } from "../clock.js";
import type { HookOutcome, HookReports } from "./hook.js";

/** Outcomes of a hook's calls since the start. */
export interface HookRecord {
  calls: Record<HookOutcome, number>;
  last: { at: number; outcome: HookOutcome } | null;
  /** The first error of the latest series of failures. */
  lastError: { at: number; event: string; message: string } | null;
  /** Why it isn't called until the next start; null if it is. */
  disabled: string | null;
}

const MAX_MESSAGE = 500;

/** Keeps a record per hook, and forwards the reports. */
export class HookRecords implements HookReports {
  readonly #records = new Map<string, HookRecord>();
  readonly #next: HookReports;

  constructor(next: HookReports) {
    this.#next = next;
  }

  of(hook: string): HookRecord {
    return this.#records.get(hook) ?? empty();
  }

  outcome(hook: string, outcome: HookOutcome): void {
    const record = this.#at(hook);
    record.calls[outcome] += 1;
    record.last = { at: nowSeconds(), outcome };
    this.#next.outcome(hook, outcome);
  }

  failed(hook: string, event: string, error: unknown): void {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE);
    this.#at(hook).lastError = { at: nowSeconds(), event, message };
    this.#next.failed(hook, event, error);
  }

  gaveUp(hook: string, reason: string): void {
    this.#at(hook).disabled = reason;
    this.#next.gaveUp(hook, reason);
  }

  printed(hook: string, line: string): void {
    this.#next.printed(hook, line);
  }

  /** Bounded by the number of hooks. */
  #at(hook: string): HookRecord {
    const record = this.#records.get(hook) ?? empty();
    this.#records.set(hook, record);
    return record;
  }
}

const empty = (): HookRecord => ({
  calls: { ok: 0, failed: 0, timeout: 0, dropped: 0 },
  last: null,
  lastError: null,
  disabled: null,
});
