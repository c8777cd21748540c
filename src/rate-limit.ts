/** Limits the requests per minute of each client. Allows bursts. */

const MAX_CLIENTS = 10_000;

/** A token bucket per client: a request takes a token, a minute refills the bucket. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Returns 0 if the request is allowed, else the seconds to wait. */
  take(client: string, now = performance.now()): number {
    const seen = this.#buckets.get(client);
    const refilled = seen ? seen.tokens + ((now - seen.at) / 60_000) * this.#perMinute : this.#perMinute;
    const tokens = Math.min(this.#perMinute, refilled);
    const isAllowed = tokens >= 1;
    this.#buckets.delete(client);
    this.#buckets.set(client, { tokens: isAllowed ? tokens - 1 : tokens, at: now });
    // Drops the least recently active client: its bucket is the fullest.
    if (this.#buckets.size > MAX_CLIENTS) this.#buckets.delete(this.#buckets.keys().next().value!);
    return isAllowed ? 0 : Math.ceil(((1 - tokens) * 60) / this.#perMinute);
  }

  get clients(): number {
    return this.#buckets.size;
  }
}
