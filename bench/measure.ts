/** Times in milliseconds. */

export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 50);
export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
export const perSecond = (count: number, time: number) =>
  `${Math.round((count * 1000) / time).toLocaleString("en")}/s`;
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
export const p50p95 = (times: readonly number[]) => `${ms(median(times))} / ${ms(percentile(times, 95))}`;

const CALLS_PER_TURN = 5;
const WARM_CALLS = 200;
const WARM_MS = 1000;

async function warmUp(side: () => unknown): Promise<void> {
  const end = performance.now() + WARM_MS;
  for (let call = 0; call < WARM_CALLS && (call === 0 || performance.now() < end); call += 1) await side();
}

/**
 * Compares two implementations by alternating a few calls of each, so other load on the machine affects both equally. As
 * many rounds as fit into `budgetMs`, within bounds. Warm-up calls (also for the JIT) aren't counted.
 */
export async function inTurns(
  sides: readonly (() => unknown)[],
  { budgetMs, atLeast = 10, atMost = 200 }: { budgetMs: number; atLeast?: number; atMost?: number },
): Promise<number[][]> {
  const times: number[][] = sides.map(() => []);
  for (const side of sides) await warmUp(side);
  const end = performance.now() + budgetMs;
  const done = () => times[0]!.length;
  while (done() < atLeast || (done() < atMost && performance.now() < end)) {
    for (const [i, side] of sides.entries())
      for (let call = 0; call < CALLS_PER_TURN; call += 1) times[i]!.push(await timed(side));
  }
  return times;
}
