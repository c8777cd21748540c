/** Open rate-limit penalties: calling on makes them longer, so nobody calls while one is open. */
import { SendError } from "../../errors.js";

const MOST = 1000;

export class Floods {
  readonly #untilMs = new Map<string, number>();
  #accountUntilMs = 0;

  /** Telegram doesn't say whom it means. Two chats at once can only be the whole bot. */
  note(chatId: string, waitMs: number): "chat" | "account" {
    this.#forgetOld();
    const untilMs = performance.now() + waitMs;
    const others = [...this.#untilMs.keys()].some((other) => other !== chatId);
    this.#untilMs.set(chatId, untilMs);
    if (!others) return "chat";
    this.#accountUntilMs = Math.max(this.#accountUntilMs, untilMs);
    return "account";
  }

  leftMs(chatId: string): number {
    const untilMs = Math.max(this.#accountUntilMs, this.#untilMs.get(chatId) ?? 0);
    return Math.max(0, untilMs - performance.now());
  }

  /** Throws what another call would come back with, without making it. */
  check(chatId: string): void {
    const leftMs = this.leftMs(chatId);
    if (leftMs === 0) return;
    const scope = this.#accountUntilMs > performance.now() ? "account" : "chat";
    const message = `Telegram asks to wait ${Math.ceil(leftMs / 1000)} s more`;
    throw new SendError("never_sent", message, { retryAfterMs: leftMs, scope });
  }

  #forgetOld(): void {
    const now = performance.now();
    for (const [chatId, untilMs] of this.#untilMs)
      if (untilMs <= now || this.#untilMs.size > MOST) this.#untilMs.delete(chatId);
  }
}
