/** Rate-limit buckets: a number of requests per window; requests during a penalty extend it. */

export interface Limit {
  count: number;
  perMs: number;
}

interface Bucket {
  used: number;
  resetAtMs: number;
  penaltyUntilMs: number;
  penaltyMs: number;
}

export interface Verdict {
  retryAfterSeconds: number | null;
  headers: Record<string, string>;
}

export class Buckets {
  readonly #buckets = new Map<string, Bucket>();
  /** Requests during a penalty. */
  ignored = 0;

  take(key: string, limit: Limit): Verdict {
    const now = Date.now();
    const bucket = this.#at(key, limit, now);
    if (now < bucket.penaltyUntilMs) {
      this.ignored += 1;
      return this.#penalise(key, bucket, Math.min(bucket.penaltyMs * 2, 600_000));
    }
    if (bucket.used >= limit.count) return this.#penalise(key, bucket, bucket.resetAtMs - now);
    bucket.used += 1;
    return { retryAfterSeconds: null, headers: headersOf(key, bucket, limit, now) };
  }

  #at(key: string, limit: Limit, now: number): Bucket {
    const found = this.#buckets.get(key);
    if (found && (now < found.resetAtMs || now < found.penaltyUntilMs)) return found;
    const bucket = { used: 0, resetAtMs: now + limit.perMs, penaltyUntilMs: 0, penaltyMs: 0 };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #penalise(key: string, bucket: Bucket, penaltyMs: number): Verdict {
    bucket.penaltyMs = penaltyMs;
    bucket.penaltyUntilMs = Date.now() + penaltyMs;
    const retryAfterSeconds = penaltyMs / 1000;
    return { retryAfterSeconds, headers: { "x-ratelimit-bucket": hashOf(key), "x-ratelimit-scope": "user" } };
  }
}

function headersOf(key: string, bucket: Bucket, limit: Limit, now: number): Record<string, string> {
  return {
    "x-ratelimit-limit": String(limit.count),
    "x-ratelimit-remaining": String(limit.count - bucket.used),
    "x-ratelimit-reset-after": String((bucket.resetAtMs - now) / 1000),
    "x-ratelimit-bucket": hashOf(key),
  };
}

/** The bucket without the channel: Discord names the kind of route, and the client adds the channel. */
function hashOf(key: string): string {
  return Buffer.from(key.split(":", 1)[0]!).toString("hex");
}
