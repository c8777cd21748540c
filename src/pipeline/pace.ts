import type { ChatPace } from "../adapters/adapter.js";
import { monotonicSeconds } from "../clock.js";
import type { Target } from "../message.js";
import type { Penalty } from "../store/queues.js";

/**
 * Which chats must wait: open penalties and the last minute's messages per chat. Answers wait, previews and typing signs
 * are dropped: a call during a penalty only extends it.
 */

const MINUTE = 60;
/** Chats whose messages are counted; the least recent are dropped. */
const MAX_CHATS = 5000;
/** No platform allows more per minute, so no more is remembered per chat. */
const MAX_REMEMBERED = 100;
/** The share of a chat's messages per minute that previews may use: the rest is for answers. */
const PREVIEW_SHARE = 0.5;

/** Until when, by the clock of this process. */
type OpenPenalty = Omit<Penalty, "seconds"> & { until: number };

export class Pace {
  readonly #penalties = new Map<string, OpenPenalty>();
  /** When messages were sent there, the newest last. */
  readonly #sent = new Map<string, number[]>();
  readonly #now: () => number;

  /** `now` must never go back. */
  constructor(now: () => number = monotonicSeconds) {
    this.#now = now;
  }

  load(penalties: readonly Penalty[]): void {
    for (const penalty of penalties) this.#add(penalty);
  }

  /** Gives the penalty to store. */
  penalise(target: Target, scope: "chat" | "account", seconds: number): Penalty {
    const { platform, account } = target;
    const penalty = { platform, account, chatId: scope === "chat" ? (target.chatId ?? "") : "", seconds };
    this.#add(penalty);
    return penalty;
  }

  /** How long the next message to this chat has to wait; 0: it may go now. */
  waitSeconds(target: Target, { chatMs = 0, perMinute }: ChatPace = {}): number {
    const sent = this.#sentTo(target);
    const last = sent.at(-1) ?? Number.NEGATIVE_INFINITY;
    // The oldest of as many as a minute may hold: when it is a minute old, there is room.
    const crowded = perMinute === undefined ? undefined : sent.at(-perMinute);
    const room = crowded === undefined ? Number.NEGATIVE_INFINITY : crowded + MINUTE;
    const openAt = Math.max(this.#penaltyUntil(target), last + chatMs / 1000, room);
    return Math.max(0, openAt - this.#now());
  }

  /** Whether something that may be dropped is worth trying. */
  isOpen(target: Target, { perMinute }: ChatPace = {}): boolean {
    const now = this.#now();
    if (this.#penaltyUntil(target) > now) return false;
    if (perMinute === undefined) return true;
    const lately = this.#sentTo(target).filter((at) => at > now - MINUTE).length;
    return lately < perMinute * PREVIEW_SHARE;
  }

  /** So many messages were sent; edits count as messages. */
  sent(target: Target, count = 1): void {
    const key = keyOf(target, target.chatId ?? "");
    const now = this.#now();
    const times = [...this.#sentTo(target), ...Array<number>(count).fill(now)].slice(-MAX_REMEMBERED);
    this.#sent.delete(key);
    this.#sent.set(key, times);
    const oldest = this.#sent.keys().next().value;
    if (this.#sent.size > MAX_CHATS && oldest !== undefined) this.#sent.delete(oldest);
  }

  /** Penalties that haven't ended. */
  get open(): Penalty[] {
    for (const key of this.#penalties.keys()) this.#until(key);
    const now = this.#now();
    return [...this.#penalties.values()].map(({ until, ...whose }) => ({ ...whose, seconds: until - now }));
  }

  #add({ seconds, ...whose }: Penalty): void {
    this.#penalties.set(keyOf(whose, whose.chatId), { ...whose, until: this.#now() + seconds });
  }

  #sentTo(target: Target): readonly number[] {
    return this.#sent.get(keyOf(target, target.chatId ?? "")) ?? [];
  }

  #penaltyUntil(target: Target): number {
    return Math.max(this.#until(keyOf(target, "")), this.#until(keyOf(target, target.chatId ?? "")));
  }

  #until(key: string): number {
    const until = this.#penalties.get(key)?.until ?? Number.NEGATIVE_INFINITY;
    if (until <= this.#now()) this.#penalties.delete(key);
    return until;
  }
}

function keyOf({ platform, account }: { platform: string; account: string }, chatId: string): string {
  return JSON.stringify([platform, account, chatId]);
}
