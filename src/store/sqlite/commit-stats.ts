import { nowSeconds } from "../../clock.js";
import type { Distribution, WriterStats } from "../store.js";

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const WRITES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Counters of the writer. They cost a few additions per commit. */
export class CommitStats {
  readonly #seconds = newDistribution(SECONDS);
  readonly #writes = newDistribution(WRITES);
  #failures = 0;
  #lockWaits = 0;
  #lastCommitAt: number | null = null;
  #lastFailureAt: number | null = null;
  /** Since when writes have been waiting without a commit. */
  #waitingSinceMs = 0;

  waits(): void {
    this.#waitingSinceMs = performance.now();
  }

  committed(writes: number, sinceMs: number): void {
    const now = performance.now();
    observe(this.#seconds, (now - sinceMs) / 1000);
    observe(this.#writes, writes);
    // At least the time of the last failure, even if the clock was set back: readers compare which came last.
    this.#lastCommitAt = Math.max(nowSeconds(), this.#lastFailureAt ?? 0);
    this.#waitingSinceMs = now;
  }

  failed(): void {
    this.#failures += 1;
    this.#lastFailureAt = Math.max(nowSeconds(), (this.#lastCommitAt ?? 0) + 0.001);
  }

  lockHeld(): void {
    this.#lockWaits += 1;
  }

  read(waiting: number): WriterStats {
    return {
      commitSeconds: this.#seconds,
      commitWrites: this.#writes,
      failures: this.#failures,
      lockWaits: this.#lockWaits,
      waiting,
      waitingSeconds: waiting === 0 ? 0 : (performance.now() - this.#waitingSinceMs) / 1000,
      lastCommitAt: this.#lastCommitAt,
      lastFailureAt: this.#lastFailureAt,
    };
  }
}

function newDistribution(bounds: readonly number[]): Distribution {
  return { bounds, counts: bounds.map(() => 0), count: 0, sum: 0 };
}

function observe(distribution: Distribution, value: number): void {
  const bucket = distribution.bounds.findIndex((bound) => value <= bound);
  if (bucket !== -1) distribution.counts[bucket]! += 1;
  distribution.count += 1;
  distribution.sum += value;
}
