/** Messages that arrive long after they were sent: late, or too old to answer. Times are epoch seconds. */

export interface Arrival {
  sentAt: number;
  receivedAt: number;
  /** When this gateway started receiving. */
  startedAt: number;
  /** Messages missed for longer get no answer. 0: no missed message gets one. */
  maxAgeSeconds: number;
}

/** Newer messages aren't too old even if clocks disagree, unless the gateway was down when they were written. */
const LIVE_SECONDS = 120;
/** Normal delay of platforms and networks. */
const LATE_SECONDS = 60;

export function isTooOld({ sentAt, receivedAt, startedAt, maxAgeSeconds }: Arrival): boolean {
  // Messages that an earlier start accepted weren't missed. Some platforms round down to whole seconds.
  const missed = sentAt < Math.floor(startedAt) && receivedAt >= startedAt;
  const limit = missed ? maxAgeSeconds : Math.max(maxAgeSeconds, LIVE_SECONDS);
  return receivedAt - sentAt > limit;
}

/** Delay in seconds; undefined if not worth mentioning. */
export function lateSeconds({
  sentAt,
  receivedAt,
}: Pick<Arrival, "sentAt" | "receivedAt">): number | undefined {
  const late = receivedAt - sentAt;
  return late > LATE_SECONDS ? late : undefined;
}
