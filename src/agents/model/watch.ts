/** Aborts stalled requests: no first token, no next token, or no end. */

export interface Limits {
  firstWordMs: number;
  /** Between two tokens. */
  idleMs: number;
  totalMs: number;
}

const TOTAL_TO_IDLE = 4;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The configured timeout limits silence; the total limit stops endless output. */
export function limitsFrom(timeoutSeconds: number): Limits {
  const silenceMs = Math.min(timeoutSeconds * 1000, MAX_TIMER_MS);
  const totalMs = Math.min(silenceMs * TOTAL_TO_IDLE, MAX_TIMER_MS);
  return { firstWordMs: silenceMs, idleMs: silenceMs, totalMs };
}

export interface Watch {
  /** Aborts by a limit or with the outer signal. */
  signal: AbortSignal;
  /** Call on every sign of life. */
  heard(): void;
  /** Describes the limit that was exceeded. */
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
      // Also closes the abandoned connection.
      limit.abort();
    },
  };
}
