/** Switches for what goes wrong between a bot and Telegram. All off at first. */
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
  /** Every answer comes this much later. */
  delayMs = 0;
  /** Every request is cut before it is read. */
  outage = false;
  /** Requests come in, and no answer ever goes out. */
  silent = false;
  /** No file's content comes while it is on. */
  slowFiles = false;
  /** Every new update is queued twice, with the same id. */
  duplicate = false;
  /** Batches come newest first. */
  reorder = false;
  /** The least time between two messages to one chat; sooner opens a penalty. */
  perChatMs = 0;
  readonly #scripted: Scripted[] = [];
  readonly #penalties = new Map<number | "*", Penalty>();
  readonly #lastSentMs = new Map<number, number>();

  /** The request is carried out, then the connection is cut: the unknown send. */
  dropAfter(method: string, times = 1): void {
    this.#scripted.push({ method, times, how: "drop_after" });
  }

  /** The connection is cut, nothing is carried out. The caller can't tell it from the above. */
  dropBefore(method: string, times = 1): void {
    this.#scripted.push({ method, times, how: "drop_before" });
  }

  /** So many calls go well before what is switched on next. */
  after(method: string, calls: number): this {
    this.#scripted.push({ method, times: calls, how: "nothing" });
    return this;
  }

  /** No answer ever comes to this method; other calls go on. */
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

  /** Too many requests to one chat, or to all: each call that ignores the wait makes it longer. */
  flood(chatId: number | "*", seconds: number): void {
    this.#penalties.set(chatId, { untilMs: Date.now() + seconds * 1000, seconds });
  }

  /** Scripted faults that nobody has run into yet. */
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

  /** Throws the 429 that is due. */
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
