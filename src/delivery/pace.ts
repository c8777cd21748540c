import { nowSeconds } from "../clock.js";
import type { Target } from "../message.js";
import type { Penalty } from "../store/queues.js";

/**
 * Who must wait: one account of open penalties and of the last message per chat. Answers wait their time, previews and
 * typing are dropped: asking again while a penalty is open only makes it longer.
 */
export interface PaceLimits {
  /** The least time between two messages to one chat. */
  chatMs: number;
}

/** Chats whose last message is remembered; the longest silent ones are forgotten. */
const CHATS_MAX = 5000;

export class Pace {
  readonly #penalties = new Map<string, Penalty>();
  readonly #lastSent = new Map<string, number>();

  load(penalties: readonly Penalty[]): void {
    for (const penalty of penalties) this.#penalties.set(keyOf(penalty, penalty.chatId), penalty);
  }

  /** Gives the penalty to be stored. */
  penalise(target: Target, scope: "chat" | "account", seconds: number): Penalty {
    const { platform, account } = target;
    const chatId = scope === "chat" ? (target.chatId ?? "") : "";
    const penalty = { platform, account, chatId, until: nowSeconds() + seconds };
    this.#penalties.set(keyOf(target, chatId), penalty);
    return penalty;
  }

  /** When the next message may go there: now, or epoch seconds ahead. */
  nextAt(target: Target, limits: PaceLimits | undefined): number {
    const now = nowSeconds();
    const last = this.#lastSent.get(keyOf(target, target.chatId ?? "")) ?? Number.NEGATIVE_INFINITY;
    return Math.max(now, this.#penaltyUntil(target), last + (limits?.chatMs ?? 0) / 1000);
  }

  /** Whether something that may be dropped is worth trying. */
  isOpen(target: Target): boolean {
    return this.#penaltyUntil(target) <= nowSeconds();
  }

  sent(target: Target): void {
    const key = keyOf(target, target.chatId ?? "");
    this.#lastSent.delete(key);
    this.#lastSent.set(key, nowSeconds());
    const oldest = this.#lastSent.keys().next().value;
    if (this.#lastSent.size > CHATS_MAX && oldest !== undefined) this.#lastSent.delete(oldest);
  }

  /** Those whose time isn't over. */
  get open(): Penalty[] {
    for (const key of this.#penalties.keys()) this.#until(key);
    return [...this.#penalties.values()];
  }

  #penaltyUntil(target: Target): number {
    return Math.max(this.#until(keyOf(target, "")), this.#until(keyOf(target, target.chatId ?? "")));
  }

  #until(key: string): number {
    const until = this.#penalties.get(key)?.until ?? 0;
    if (until !== 0 && until <= nowSeconds()) this.#penalties.delete(key);
    return until;
  }
}

function keyOf({ platform, account }: { platform: string; account: string }, chatId: string): string {
  return JSON.stringify([platform, account, chatId]);
}
