/** Limits how long callers wait. The work itself continues; later failures are ignored. */

/** Rejects with a TimeoutError after `ms`, or with the signal's reason. */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  { message = `No result within ${ms} ms`, signal }: { message?: string; signal?: AbortSignal } = {},
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException(message, "TimeoutError")), ms);
  });
  try {
    return await Promise.race([signal ? unlessAborted(work, signal) : work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects with the signal's reason as soon as it aborts, for work that ignores the signal. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

export interface SignalLimits {
  signals: readonly AbortSignal[];
  ms?: number;
}

/**
 * Calls `work` with a signal that aborts with the first of others, or after `ms`. For signals that outlive many calls:
 * AbortSignal.any leaves memory behind at them with each call on Node 20, this leaves nothing.
 */
export async function withSignal<T>(
  { signals, ms }: SignalLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const ends = signals.map((signal) => {
    const abort = () => either.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    return () => signal.removeEventListener("abort", abort);
  });
  const late = () => either.abort(new DOMException(`No result within ${ms} ms`, "TimeoutError"));
  const timer = ms === undefined ? undefined : setTimeout(late, ms);
  try {
    return await work(either.signal);
  } finally {
    clearTimeout(timer);
    for (const end of ends) end();
  }
}

/** Whether the work settled within `ms`. Never rejects; for use at shutdown. */
export async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
