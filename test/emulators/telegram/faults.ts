/** Switchable faults between a bot and Telegram. All off at first. */
import { ApiError } from "./types.js";

interface Scripted {
  method: string;
  times: number;
  how: "nothing" | "drop_before" | "drop_after" | "bad_gateway" | "hang" | ApiError;
}

interface Penalty {
  untilMs: number;
  seconds: number;
}

export class Faults {
  /** Delay of every answer. */
  delayMs = 0;
  /** Every connection is cut before its request is read. */
  outage = false;
  /** Requests are never answered. */
  silent = false;
  /** File downloads hang. */
  slowFiles = false;
  /** Every new update is queued twice, with the same id. */
  duplicate = false;
  /** Batches come newest first. */
  reorder = false;
  /** Minimum time between two messages to one chat; less causes a 429. */
  perChatMs = 0;
  readonly #scripted: Scripted[] = [];
  readonly #penalties = new Map<number | "*", Penalty>();
  readonly #lastSentMs = new Map<number, number>();

  /** Executes the request, then cuts the connection: the send's outcome is unknown. */
  dropAfter(method: string, times = 1): void {
    this.#scripted.push({ method, times, how: "drop_after" });
  }

  /** Cuts the connection without executing the request. The caller can't tell the difference. */
  dropBefore(method: string, times = 1): void {
    this.#scripted.push({ method, times, how: "drop_before" });
  }

  /** The fault that is set next applies after this many successful calls. */
  after(method: string, calls: number): this {
    this.#scripted.push({ method, times: calls, how: "nothing" });
    return this;
  }

  /** Calls of this method hang; others work. */
  hang(method: string, times = 1): void {
    this.#scripted.push({ method, times, how: "hang" });
  }

  /** A proxy's page instead of JSON. */
  badGateway(method: string, times = 1): void {
    this.#scripted.push({ method, times, how: "bad_gateway" });
  }

  fail(method: string, code: number, description: string, times = 1): void {
    this.#scripted.push({ method, times, how: new ApiError(code, description) });
  }

  /** A rate limit for one chat, or for all: each call during the wait extends it. */
  flood(chatId: number | "*", seconds: number): void {
    this.#penalties.set(chatId, { untilMs: Date.now() + seconds * 1000, seconds });
  }

  /** Scripted faults that haven't been used yet. */
  get armed(): number {
    return this.#scripted.reduce((sum, { times }) => sum + times, 0);
  }

  clear(): void {
    this.delayMs = 0;
    this.perChatMs = 0;
    this.outage = false;
    this.silent = false;
    this.slowFiles = false;
    this.duplicate = false;
    this.reorder = false;
    this.#scripted.length = 0;
    this.#penalties.clear();
  }

  take(method: string): Scripted["how"] | undefined {
    const found = this.#scripted.find((s) => s.times > 0 && (s.method === method || s.method === "*"));
    if (found) found.times -= 1;
    return found?.how;
  }

  /** Throws a 429 during a wait. */
  checkFlood(chatId: number | undefined, isMessage: boolean): void {
    const now = Date.now();
    for (const key of [chatId, "*"] as const) {
      const penalty = key === undefined ? undefined : this.#penalties.get(key);
      if (penalty && penalty.untilMs > now) {
        penalty.untilMs += penalty.seconds * 1000;
        throw tooMany(penalty.untilMs - now);
      }
    }
    if (chatId === undefined || !isMessage || this.perChatMs === 0) return;
    if (now - (this.#lastSentMs.get(chatId) ?? 0) < this.perChatMs) {
      this.flood(chatId, Math.ceil(this.perChatMs / 1000));
      throw tooMany(this.perChatMs);
    }
    this.#lastSentMs.set(chatId, now);
  }
}

function tooMany(ms: number): ApiError {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return new ApiError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
}
