/** So many requests a minute from each client, at once or spread out; who wants more is told when to come back. */

const MOST_CLIENTS = 10_000;

/** A bucket a client: a request takes one drop, a minute fills it. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #buckets = new Map<string, { drops: number; at: number }>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Seconds until the next request is welcome; 0: this one is. */
  take(client: string, now = performance.now()): number {
    const seen = this.#buckets.get(client);
    const refilled = seen ? seen.drops + ((now - seen.at) / 60_000) * this.#perMinute : this.#perMinute;
    const drops = Math.min(this.#perMinute, refilled);
    const welcome = drops >= 1;
    this.#buckets.delete(client);
    this.#buckets.set(client, { drops: welcome ? drops - 1 : drops, at: now });
    // Whoever hasn't asked for longest is forgotten first: their bucket is the fullest.
    if (this.#buckets.size > MOST_CLIENTS) this.#buckets.delete(this.#buckets.keys().next().value!);
    return welcome ? 0 : Math.ceil(((1 - drops) * 60) / this.#perMinute);
  }

  get clients(): number {
    return this.#buckets.size;
  }
}
