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
  const restart = () => {
    clearTimeout(timer);
    if (idleSeconds > 0 && pauses === 0)
      timer = setTimeout(() => controller.abort("timeout"), timerMs(idleSeconds));
  };
  restart();
  return {
    restart,
    paused: async (work) => {
      pauses += 1;
      clearTimeout(timer);
      try {
        return await work();
      } finally {
        pauses -= 1;
        restart();
      }
    },
    stop: () => {
      pauses = Number.POSITIVE_INFINITY;
      clearTimeout(timer);
    },
  };
}
