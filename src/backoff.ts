/** Delays between retries: doubling up to a limit, half of each random, so that clients spread out. */

export interface BackoffLimits {
  firstMs: number;
  maxMs: number;
}

const MAX_DOUBLINGS = 30;
/** Node fires longer timers immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** `failures`: failed attempts before this delay, not counting the first. `random` returns [0, 1). */
export function backoffMs(
  failures: number,
  { firstMs, maxMs }: BackoffLimits,
  random: () => number = Math.random,
): number {
  const doublings = Math.min(MAX_DOUBLINGS, Math.max(0, failures));
  return Math.min(maxMs, firstMs * 2 ** doublings) * (0.5 + random() / 2);
}

/** Counts consecutive failures of a retried operation. */
export class Backoff {
  readonly #limits: BackoffLimits;
  #failures = 0;

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  nextMs(): number {
    return backoffMs(this.#failures++, this.#limits);
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** Resolves after `ms`, or as soon as a signal aborts. Never rejects; check the signals afterwards. */
export function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) return resolve();
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    for (const signal of signals) signal.addEventListener("abort", end, { once: true });
  });
}
