/** Slack's published rate limits: calls per minute by tier, and about one post per second and channel. Off by default. */
const PER_MINUTE: Record<string, number> = {
  "conversations.history": 50,
  "conversations.replies": 50,
  "conversations.info": 50,
  "users.conversations": 50,
  "users.info": 100,
  "chat.update": 50,
  "chat.startStream": 20,
  "chat.appendStream": 100,
  "chat.stopStream": 20,
  "files.getUploadURLExternal": 100,
  "files.completeUploadExternal": 100,
};
const POST_BURST = 5;

export class Tiers {
  readonly #minuteMs: number;
  readonly #calls = new Map<string, number[]>();

  /** `minuteMs` is the length of a minute; 0 disables the limits. */
  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
  }

  /** Seconds to wait, undefined if not limited. */
  retryAfter(method: string, channel: string | undefined): number | undefined {
    if (this.#minuteMs === 0) return undefined;
    if (method === "chat.postMessage")
      return this.#over(`${method}:${channel}`, POST_BURST, (POST_BURST * this.#minuteMs) / 60);
    const budget = PER_MINUTE[method];
    return budget === undefined ? undefined : this.#over(method, budget, this.#minuteMs);
  }

  #over(key: string, budget: number, windowMs: number): number | undefined {
    const now = Date.now();
    const recent = (this.#calls.get(key) ?? []).filter((at) => now - at < windowMs);
    this.#calls.set(key, recent);
    if (recent.length >= budget) return Math.max(1, Math.ceil((recent[0]! + windowMs - now) / 1000));
    recent.push(now);
    return undefined;
  }
}
