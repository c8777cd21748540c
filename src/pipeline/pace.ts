import type { ChatPace } from "../adapters/adapter.js";
import { monotonicSeconds } from "../clock.js";
import type { Target } from "../message.js";
import type { Penalty } from "../store/queues.js";

/**
 * Decides which chats must wait, from active penalties and the messages of the last minute per chat. Answers
 * wait; previews and typing indicators are dropped, because a call during a penalty only extends it.
 */

const MINUTE = 60;
/** Maximum chats whose messages are counted; the least recent are dropped. */
const MAX_CHATS = 5000;
/** No platform allows more per minute, so no more are remembered per chat. */
const MAX_REMEMBERED = 100;
/** The share of a chat's messages per minute that previews may use: the rest is for answers. */
const PREVIEW_SHARE = 0.5;
/** Delay before a message for a disconnected bot is checked again. Connecting the bot checks it at once. */
const HELD_SECONDS = 30;

type Bot = Pick<Target, "platform" | "account">;
/** End of the penalty, on this process's clock. */
type OpenPenalty = Omit<Penalty, "seconds"> & { until: number };

export class Pace {
  readonly #penalties = new Map<string, OpenPenalty>();
  /** Times of messages sent to a chat, newest last. */
  readonly #sent = new Map<string, number[]>();
  /** Bots that are paused; at most one per adapter. */
  readonly #held = new Set<string>();
  readonly #now: () => number;

  /** `now` must be monotonic. */
  constructor(now: () => number = monotonicSeconds) {
    this.#now = now;
  }

  load(penalties: readonly Penalty[]): void {
    for (const penalty of penalties) this.#add(penalty);
  }

  /** Returns the penalty to store. */
  penalise(target: Target, scope: "chat" | "account", seconds: number): Penalty {
    const { platform, account } = target;
    const penalty = { platform, account, chatId: scope === "chat" ? (target.chatId ?? "") : "", seconds };
    this.#add(penalty);
    return penalty;
  }

  /** Pauses this bot until it is released. */
  hold(bot: Bot): void {
    this.#held.add(keyOf(bot, ""));
  }

  release(bot: Bot): void {
    this.#held.delete(keyOf(bot, ""));
  }

  /** How long the next message to this chat must wait; 0 if it may go now. */
  waitSeconds(target: Target, { chatMs = 0, perMinute }: ChatPace = {}): number {
    if (this.#held.has(keyOf(target, ""))) return HELD_SECONDS;
    const sent = this.#sentTo(target);
    const last = sent.at(-1) ?? Number.NEGATIVE_INFINITY;
    // There is room again once the oldest message of a full minute is a minute old.
    const crowded = perMinute === undefined ? undefined : sent.at(-perMinute);
    const room = crowded === undefined ? Number.NEGATIVE_INFINITY : crowded + MINUTE;
    const openAt = Math.max(this.#penaltyUntil(target), last + chatMs / 1000, room);
    return Math.max(0, openAt - this.#now());
  }

  /** Whether to try something that may be dropped, such as a preview. */
  isOpen(target: Target, { perMinute }: ChatPace = {}): boolean {
    const now = this.#now();
    if (this.#held.has(keyOf(target, "")) || this.#penaltyUntil(target) > now) return false;
    if (perMinute === undefined) return true;
    const lately = this.#sentTo(target).filter((at) => at > now - MINUTE).length;
    return lately < perMinute * PREVIEW_SHARE;
  }

  /** Counts sent messages; edits count too. */
  sent(target: Target, count = 1): void {
    const key = keyOf(target, target.chatId ?? "");
    const now = this.#now();
    const times = [...this.#sentTo(target), ...Array<number>(count).fill(now)].slice(-MAX_REMEMBERED);
    this.#sent.delete(key);
    this.#sent.set(key, times);
    const oldest = this.#sent.keys().next().value;
    if (this.#sent.size > MAX_CHATS && oldest !== undefined) this.#sent.delete(oldest);
  }

  /** Active penalties. */
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

function keyOf({ platform, account }: Bot, chatId: string): string {
  return JSON.stringify([platform, account, chatId]);
}
