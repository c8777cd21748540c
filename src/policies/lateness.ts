/** Messages that come long after they were written: late, or too old to be answered. Times are epoch seconds. */

export interface Arrival {
  sentAt: number;
  receivedAt: number;
  /** When this gateway began to listen. */
  startedAt: number;
  /** What was missed for longer is not answered. 0: nothing that was missed is. */
  maxAgeSeconds: number;
}

/** Younger than this is not too old, whatever the clocks say, unless nobody listened when it was written. */
const LIVE_SECONDS = 120;
/** Platforms and networks take their time. */
const LATE_SECONDS = 60;

export function isTooOld({ sentAt, receivedAt, startedAt, maxAgeSeconds }: Arrival): boolean {
  // What an earlier start has accepted was heard in its time. Platforms that tell whole seconds round down.
  const missed = sentAt < Math.floor(startedAt) && receivedAt >= startedAt;
  const limit = missed ? maxAgeSeconds : Math.max(maxAgeSeconds, LIVE_SECONDS);
  return receivedAt - sentAt > limit;
}

/** By how much, if it is worth telling. */
export function lateSeconds({
  sentAt,
  receivedAt,
}: Pick<Arrival, "sentAt" | "receivedAt">): number | undefined {
  const late = receivedAt - sentAt;
  return late > LATE_SECONDS ? late : undefined;
}
