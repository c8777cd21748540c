import type { Log } from "../log.js";

/** In order. Everything in one phase is closed concurrently. */
const PHASES = ["timers", "traffic", "watchers", "transcripts", "index", "files", "store"] as const;
type Phase = (typeof PHASES)[number];

/** Closes everything that was opened, at shutdown or after a failed start. */
export class Shutdown {
  readonly #steps: { phase: Phase; close(): unknown }[] = [];
  readonly #log: Pick<Log, "warn">;

  constructor(log: Pick<Log, "warn">) {
    this.#log = log;
  }

  add(phase: Phase, close: () => unknown): void {
    this.#steps.push({ phase, close });
  }

  /** Closes everything, then rejects with the first failure. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const phase of PHASES) {
      const steps = this.#steps.filter((step) => step.phase === phase);
      const closing = steps.map(async ({ close }) => close());
      for (const result of await Promise.allSettled(closing))
        if (result.status === "rejected") failures.push(result.reason);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** After a failed start: only logs failures, because the start's error is reported. */
  async abandon(): Promise<void> {
    await this.run().catch((error: unknown) => this.#log.warn({ err: error }, "could not close everything"));
  }
}
