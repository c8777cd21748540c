import type { GatewayLog } from "../log.js";

/** Messages that arrived too late to be answered: one row with a reason each, one log line for all. */
const QUIET_MS = 2000;

interface Missed {
  count: number;
  oldestSentAt: number;
}

export class MissedReport {
  readonly #log: Pick<GatewayLog, "warn">;
  /** By platform. */
  readonly #missed = new Map<string, Missed>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Pick<GatewayLog, "warn">) {
    this.#log = log;
  }

  add(platform: string, sentAt: number): void {
    const { count, oldestSentAt } = this.#missed.get(platform) ?? { count: 0, oldestSentAt: sentAt };
    this.#missed.set(platform, { count: count + 1, oldestSentAt: Math.min(oldestSentAt, sentAt) });
    this.#timer ??= setTimeout(() => this.flush(), QUIET_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [platform, { count, oldestSentAt }] of this.#missed) {
      const oldest = new Date(oldestSentAt * 1000).toISOString();
      this.#log.warn({ platform, count, oldest }, "skipped messages that are too old to answer");
    }
    this.#missed.clear();
  }
}
