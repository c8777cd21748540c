/** Timers of a turn. */

/** setTimeout fires at once with a longer delay. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function timerMs(seconds: number): number {
  return Math.min(seconds * 1000, MAX_TIMER_MS);
}

export interface Watchdog {
  restart(): void;
  pause(): void;
  resume(): void;
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
  const pauseBy = (change: number) => {
    pauses += change;
    restart();
  };
  restart();
  return {
    restart,
    pause: () => pauseBy(1),
    resume: () => pauseBy(-1),
    stop: () => {
      pauses = Number.POSITIVE_INFINITY;
      clearTimeout(timer);
    },
  };
}
