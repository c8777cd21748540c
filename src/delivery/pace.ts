import type { ChatPace } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import type { Target } from "../message.js";
import type { Penalty } from "../store/queues.js";

/**
 * Who must wait: one account of open penalties and of the last minute's messages per chat. Answers wait their time,
 * previews and typing are dropped: asking again while a penalty is open only makes it longer.
 */

const MINUTE = 60;
/** Chats whose messages are remembered; the longest silent ones are forgotten. */
const CHATS_MAX = 5000;
/** Nobody allows more in a minute, so no more is remembered of a chat. */
const REMEMBERED_MAX = 100;
/** Of what a chat takes in a minute, so much may be previews: the rest is for answers. */
const PREVIEW_SHARE = 0.5;

export class Pace {
  readonly #penalties = new Map<string, Penalty>();
  /** When something was last sent there, the newest last. */
  readonly #sent = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number = nowSeconds) {
    this.#now = now;
  }

  load(penalties: readonly Penalty[]): void {
    for (const penalty of penalties) this.#penalties.set(keyOf(penalty, penalty.chatId), penalty);
  }

  /** Gives the penalty to be stored. */
  penalise(target: Target, scope: "chat" | "account", seconds: number): Penalty {
    const { platform, account } = target;
    const chatId = scope === "chat" ? (target.chatId ?? "") : "";
    const penalty = { platform, account, chatId, until: this.#now() + seconds };
    this.#penalties.set(keyOf(target, chatId), penalty);
    return penalty;
  }

  /** When the next message may go there: now, or epoch seconds ahead. */
  nextAt(target: Target, { chatMs = 0, perMinute }: ChatPace = {}): number {
    const sent = this.#sentTo(target);
    const last = sent.at(-1) ?? Number.NEGATIVE_INFINITY;
    // The oldest of as many as a minute may hold: when it is a minute old, there is room.
    const crowded = perMinute === undefined ? undefined : sent.at(-perMinute);
    const room = crowded === undefined ? Number.NEGATIVE_INFINITY : crowded + MINUTE;
    return Math.max(this.#now(), this.#penaltyUntil(target), last + chatMs / 1000, room);
  }

  /** Whether something that may be dropped is worth trying. */
  isOpen(target: Target, { perMinute }: ChatPace = {}): boolean {
    const now = this.#now();
    if (this.#penaltyUntil(target) > now) return false;
    if (perMinute === undefined) return true;
    const lately = this.#sentTo(target).filter((at) => at > now - MINUTE).length;
    return lately < perMinute * PREVIEW_SHARE;
  }

  /** So many messages are there; edits count as messages. */
  sent(target: Target, count = 1): void {
    const key = keyOf(target, target.chatId ?? "");
    const now = this.#now();
    const times = [...this.#sentTo(target), ...Array<number>(count).fill(now)].slice(-REMEMBERED_MAX);
    this.#sent.delete(key);
    this.#sent.set(key, times);
    const oldest = this.#sent.keys().next().value;
    if (this.#sent.size > CHATS_MAX && oldest !== undefined) this.#sent.delete(oldest);
  }

  /** Those whose time isn't over. */
  get open(): Penalty[] {
    for (const key of this.#penalties.keys()) this.#until(key);
    return [...this.#penalties.values()];
  }

  #sentTo(target: Target): readonly number[] {
    return this.#sent.get(keyOf(target, target.chatId ?? "")) ?? [];
  }

  #penaltyUntil(target: Target): number {
    return Math.max(this.#until(keyOf(target, "")), this.#until(keyOf(target, target.chatId ?? "")));
  }

  #until(key: string): number {
    const until = this.#penalties.get(key)?.until ?? 0;
    if (until !== 0 && until <= this.#now()) this.#penalties.delete(key);
    return until;
  }
}

function keyOf({ platform, account }: { platform: string; account: string }, chatId: string): string {
  return JSON.stringify([platform, account, chatId]);
}
