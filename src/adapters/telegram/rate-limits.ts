/** Waits that Telegram asked for (429). Calls during a wait would prolong it, so none are made. */
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";

const MAX_CHATS = 1000;

export class RateLimits {
  /** Chat → when its wait ends. */
  readonly #untilMs = new BoundedMap<string, number>(MAX_CHATS);
  #accountUntilMs = 0;

  /** A 429 doesn't tell whether it is for the chat or the bot. Two chats at once can only mean the bot. */
  add(chatId: string, waitMs: number): "chat" | "account" {
    this.#dropOld();
    const untilMs = performance.now() + waitMs;
    const hasOthers = this.#untilMs.size > (this.#untilMs.has(chatId) ? 1 : 0);
    this.#untilMs.set(chatId, untilMs);
    if (!hasOthers) return "chat";
    this.#accountUntilMs = Math.max(this.#accountUntilMs, untilMs);
    return "account";
  }

  leftMs(chatId: string): number {
    const untilMs = Math.max(this.#accountUntilMs, this.#untilMs.get(chatId) ?? 0);
    return Math.max(0, untilMs - performance.now());
  }

  /** Throws the error that another call would get, without making it. */
  check(chatId: string): void {
    const leftMs = this.leftMs(chatId);
    if (leftMs === 0) return;
    const scope = this.#accountUntilMs > performance.now() ? "account" : "chat";
    const message = `Telegram asks to wait ${Math.ceil(leftMs / 1000)} s more`;
    throw new SendError("never_sent", message, { retryAfterMs: leftMs, scope });
  }

  #dropOld(): void {
    const now = performance.now();
    for (const [chatId, untilMs] of this.#untilMs.entries()) if (untilMs <= now) this.#untilMs.delete(chatId);
  }
}
