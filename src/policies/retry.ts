/** Retry delay after a transient failure: exponential with full jitter, so simultaneous failures spread out. */

const BASE_MS = 1000;
const CAP_MS = 5 * 60_000;

/** `attempts`: failed so far. `random` returns [0, 1). */
export function nextAttempt({ attempts, random }: { attempts: number; random: () => number }): number {
  const ceilingMs = Math.min(CAP_MS, BASE_MS * 2 ** Math.max(0, attempts - 1));
  return Math.round(random() * ceilingMs);
}

export function attemptsExhausted(attempts: number, max = 3): boolean {
  return attempts >= max;
}
