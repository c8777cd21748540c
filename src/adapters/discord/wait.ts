/** Pauses that end early when there is nothing left to wait for. */
import { setTimeout as sleep } from "node:timers/promises";

/** Rejects when the signal says stop. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal });
}

/** Doubles with every failure, with jitter, so that many that failed together don't come back together. */
export function backoffMs(failures: number, baseMs: number, capMs: number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(30, failures));
  return ceiling * (0.5 + Math.random() / 2);
}

/** Never resolves: for callers that must not go on, and must not fail either. */
export function never<T>(): Promise<T> {
  return new Promise(() => {});
}
