/** The pause before the next attempt: twice as long each time, with jitter so that many don't come at once. */
export function backoffMs(
  failures: number,
  times: { reconnectMs: number; reconnectMaxMs: number },
  random: () => number = Math.random,
): number {
  const most = Math.min(times.reconnectMaxMs, times.reconnectMs * 2 ** Math.min(16, failures));
  return most * (0.5 + random() / 2);
}
