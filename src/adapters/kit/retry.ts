/** Retries until something works or the adapter stops. */
import { Backoff, type BackoffLimits, pause } from "../../backoff.js";

export interface RetryOptions {
  backoff: BackoffLimits;
  signal: AbortSignal;
  /**
   * Called after each failed attempt, for logs and health. May return a delay in ms that the platform asked
   * for, in place of the backoff's. Throwing ends the retries.
   */
  onFailure?(error: unknown, failures: number): number | undefined;
}

/** Rejects with the signal's reason when it aborts, or with what `onFailure` throws. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, onFailure } = options;
  const backoff = new Backoff(options.backoff);
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      await pause(onFailure?.(error, failures) ?? backoff.nextMs(), signal);
    }
  }
}

/** Repeats the step until the signal aborts, with a delay after failures. Rejects only if `onFailure` throws. */
export async function repeat(step: () => Promise<void>, options: RetryOptions): Promise<void> {
  while (!options.signal.aborted) {
    await retry(step, options).catch((error: unknown) => {
      if (!options.signal.aborted) throw error;
    });
  }
}
