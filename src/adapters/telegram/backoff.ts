/** Pauses that grow and differ, so that a thousand gateways don't come back in the same second. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #failures = 0;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  reset(): void {
    this.#failures = 0;
  }

  nextMs(): number {
    const ceilingMs = Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(this.#failures++, 20));
    return ceilingMs * (0.5 + Math.random() / 2);
  }
}

/** Ends early, without an error, when the signal does. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
