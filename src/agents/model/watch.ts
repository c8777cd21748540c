/** A stalled request ends by itself: no first word, no next word, or no end. */

export interface Limits {
  firstWordMs: number;
  /** Between two words. */
  idleMs: number;
  totalMs: number;
}

const TOTAL_TO_IDLE = 4;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The configured timeout is about silence; the total only ends what talks forever. */
export function limitsFrom(timeoutSeconds: number): Limits {
  const silenceMs = Math.min(timeoutSeconds * 1000, LONGEST_TIMER_MS);
  const totalMs = Math.min(silenceMs * TOTAL_TO_IDLE, LONGEST_TIMER_MS);
  return { firstWordMs: silenceMs, idleMs: silenceMs, totalMs };
}

export interface Watch {
  /** Aborts by a limit or with the outer signal. */
  signal: AbortSignal;
  /** The model has said something. */
  heard(): void;
  /** Which limit was passed, in words. */
  expired(): string | undefined;
  end(): void;
}

export function watch(limits: Limits, outer: AbortSignal): Watch {
  const limit = new AbortController();
  let expired: string | undefined;
  const after = (ms: number, what: string) =>
    setTimeout(() => {
      expired ??= `${what} within ${ms / 1000} s`;
      limit.abort(new Error(expired));
    }, ms);
  const total = after(limits.totalMs, "the answer did not end");
  let silence = after(limits.firstWordMs, "no first word");
  return {
    signal: AbortSignal.any([outer, limit.signal]),
    heard: () => {
      clearTimeout(silence);
      silence = after(limits.idleMs, "no next word");
    },
    expired: () => expired,
    end: () => {
      clearTimeout(silence);
      clearTimeout(total);
      // Also closes a connection that nobody reads any more.
      limit.abort();
    },
  };
}
