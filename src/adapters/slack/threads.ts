/** In which threads the bot takes part, and where its users last were. */
import type { SlackApi } from "./api.js";
import { BoundedMap } from "./bounded-map.js";
import { isPassing } from "./faults.js";
import { isTs } from "./ids.js";
import { mentionedIds } from "./mrkdwn.js";
import type { Identity, SlackEvent } from "./native.js";

const MOST = 5000;
/** As much as Slack gives at once: the bot may have come late into a long thread. */
const LOOK_AT = 1000;
const RECENT_ROOTS = 20;

export interface ThreadFacts {
  withBot: boolean;
  /** How the thread began, where Slack told. */
  root: { text: string; ts: string } | undefined;
}

export class Threads {
  readonly #api: SlackApi;
  readonly #identity: Identity;
  readonly #timeoutMs: number;
  readonly #facts = new BoundedMap<string, ThreadFacts>(MOST);
  readonly #lastOf = new BoundedMap<string, string>(MOST);

  constructor(api: SlackApi, identity: Identity, timeoutMs: number) {
    this.#api = api;
    this.#identity = identity;
    this.#timeoutMs = timeoutMs;
  }

  /** The bot has spoken there, or was called there. */
  joined(channel: string, threadTs: string): void {
    this.#facts.set(`${channel}:${threadTs}`, { withBot: true, root: undefined });
  }

  /** What Slack won't tell counts as no. Rejects when it doesn't answer just now. */
  async look(channel: string, threadTs: string): Promise<ThreadFacts> {
    const key = `${channel}:${threadTs}`;
    const known = this.#facts.get(key);
    if (known) return known;
    try {
      const facts = await this.#ask(channel, threadTs);
      this.#facts.set(key, facts);
      return facts;
    } catch (error) {
      if (isPassing(error)) throw error;
      return { withBot: false, root: undefined };
    }
  }

  async #ask(channel: string, threadTs: string): Promise<ThreadFacts> {
    const { messages = [] } = await this.#api.call<{ messages?: SlackEvent[] }>(
      "conversations.replies",
      { channel, ts: threadTs, limit: LOOK_AT },
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

  /** They spoke to the bot there. */
  visited(channel: string, user: string, threadTs: string): void {
    this.#lastOf.set(`${channel}:${user}`, threadTs);
  }

  /** Where this user last spoke to the bot: that is the conversation which a command without a thread means. */
  async lastOf(channel: string, user: string): Promise<string | null> {
    const known = this.#lastOf.get(`${channel}:${user}`);
    if (known !== undefined) return known;
    try {
      return await this.#lastInHistory(channel, user);
    } catch {
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
      // In a room people mostly speak to each other.
      .filter((root) => channel.startsWith("D") || this.#isWithBot(root))
      .map(({ ts, latest_reply: reply }) => ({ ts: ts!, at: Number(reply ?? ts) }))
      .sort((a, b) => b.at - a.at);
    return theirs[0]?.ts ?? null;
  }
}
