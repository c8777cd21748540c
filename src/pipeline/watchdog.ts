/** setTimeout fires immediately for longer delays. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function timerMs(seconds: number): number {
  return Math.min(seconds * 1000, MAX_TIMER_MS);
}

export interface Watchdog {
  restart(): void;
  /** Pauses the watchdog during this work. */
  paused<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

/** Ends a turn that has gone silent. */
export function watchdog(idleSeconds: number, controller: AbortController): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let pauses = 0;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const restart = () => {
    if (idleSeconds <= 0 || pauses > 0) return;
    // Cheaper than a new timer: a turn restarts it with every word.
    if (timer) timer.refresh();
    else timer = setTimeout(() => controller.abort("timeout"), timerMs(idleSeconds));
  };
  restart();
  return {
    restart,
    paused: async (work) => {
      pauses += 1;
      stop();
      try {
        return await work();
      } finally {
        pauses -= 1;
        restart();
      }
    },
    stop: () => {
      pauses = Number.POSITIVE_INFINITY;
      stop();
    },
  };
}
