/** Which threads the bot takes part in, and where each user last talked to it. */

import { BoundedMap } from "../../bounded-map.js";
import type { SlackApi } from "./api.js";
import { isTransient } from "./errors.js";
import { isTs } from "./ids.js";
import { mentionedIds } from "./mrkdwn.js";
import type { Identity, SlackEvent } from "./payloads.js";

const MAX_THREADS = 5000;
/** Slack's maximum: the bot may have joined a long thread late. */
const MAX_REPLIES = 1000;
const RECENT_ROOTS = 20;

export interface ThreadFacts {
  withBot: boolean;
  /** The first message, if known. */
  root: { text: string; ts: string } | undefined;
}

export class Threads {
  readonly #api: SlackApi;
  readonly #identity: Identity;
  readonly #timeoutMs: number;
  readonly #facts = new BoundedMap<string, ThreadFacts>(MAX_THREADS);
  readonly #lastOf = new BoundedMap<string, string>(MAX_THREADS);

  constructor(api: SlackApi, identity: Identity, timeoutMs: number) {
    this.#api = api;
    this.#identity = identity;
    this.#timeoutMs = timeoutMs;
  }

  /** The bot posted in the thread or was mentioned in it. */
  joined(channel: string, threadTs: string): void {
    this.#facts.set(`${channel}:${threadTs}`, { withBot: true, root: undefined });
  }

  /** Threads that the bot may not read count as unknown. Rejects on transient errors. */
  async look(channel: string, threadTs: string): Promise<ThreadFacts> {
    const key = `${channel}:${threadTs}`;
    const known = this.#facts.get(key);
    if (known) return known;
    try {
      const facts = await this.#ask(channel, threadTs);
      this.#facts.set(key, facts);
      return facts;
    } catch (error) {
      if (isTransient(error)) throw error;
      return { withBot: false, root: undefined };
    }
  }

  async #ask(channel: string, threadTs: string): Promise<ThreadFacts> {
    const { messages = [] } = await this.#api.call<{ messages?: SlackEvent[] }>(
      "conversations.replies",
      { channel, ts: threadTs, limit: MAX_REPLIES },
      { timeoutMs: this.#timeoutMs },
    );
    const root = messages.find(({ ts }) => ts === threadTs);
    return {
      withBot: messages.some((message) => this.#concernsBot(message)),
      root: root?.text ? { text: root.text, ts: threadTs } : undefined,
    };
  }

  #concernsBot({ user, bot_id: botId, text }: SlackEvent): boolean {
    const { userId, botId: ownBotId } = this.#identity;
    if (user === userId || (botId !== undefined && botId === ownBotId)) return true;
    return mentionedIds(text ?? "").includes(userId);
  }

  #isWithBot(root: SlackEvent): boolean {
    return this.#concernsBot(root) || (root.reply_users?.includes(this.#identity.userId) ?? false);
  }

  /** The user talked to the bot in this thread. */
  visited(channel: string, user: string, threadTs: string): void {
    this.#lastOf.set(`${channel}:${user}`, threadTs);
  }

  /** The thread where this user last talked to the bot: a command without a thread belongs to it. */
  async lastOf(channel: string, user: string): Promise<string | null> {
    const known = this.#lastOf.get(`${channel}:${user}`);
    if (known !== undefined) return known;
    try {
      return await this.#lastInHistory(channel, user);
    } catch {
      // Without its thread, the command belongs to the channel.
      return null;
    }
  }

  async #lastInHistory(channel: string, user: string): Promise<string | null> {
    const { messages = [] } = await this.#api.call<{ messages?: SlackEvent[] }>(
      "conversations.history",
      { channel, limit: RECENT_ROOTS },
      { timeoutMs: this.#timeoutMs },
    );
    const theirs = messages
      .filter(
        ({ ts, user: author, reply_users: repliers }) =>
          isTs(ts) && (author === user || repliers?.includes(user)),
      )
      // In channels people mostly talk to each other.
      .filter((root) => channel.startsWith("D") || this.#isWithBot(root))
      .map(({ ts, latest_reply: reply }) => ({ ts: ts!, at: Number(reply ?? ts) }))
      .sort((a, b) => b.at - a.at);
    return theirs[0]?.ts ?? null;
  }
}
