/** Types shared by several store families. Times are epoch seconds, ids are opaque numbers. */

export interface Progress {
  step: string;
  done: number;
  total: number;
}
export type OnProgress = (progress: Progress) => void;

/** Rows in one state; `oldestAt` is the time of the oldest. */
export interface OpenRows {
  count: number;
  oldestAt: number | null;
}

/** Observed values: a count for each bucket (at or below its bound, above the one before), the total count and the sum. */
export interface Distribution {
  bounds: readonly number[];
  counts: number[];
  count: number;
  sum: number;
}

/**
 * An opaque position in a list. Pass it back unchanged to continue there; added or removed rows don't shift
 * it.
 */
export type Position = string;
