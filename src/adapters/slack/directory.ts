/** Names of people and channels. Failed or slow lookups are skipped: no message waits for a name. */

import { BoundedMap } from "../../bounded-map.js";
import type { SlackApi } from "./api.js";

const MAX_ENTRIES = 2000;
const KEEP_MS = 3_600_000;
/** Don't repeat a failed lookup for every message. */
const KEEP_FAILURE_MS = 60_000;

export interface ChannelInfo {
  name: string | undefined;
  topic: string | undefined;
}

interface Cached<T> {
  value: T | undefined;
  untilMs: number;
}

export class Directory {
  readonly #api: SlackApi;
  readonly #timeoutMs: number;
  readonly #people = new BoundedMap<string, Cached<string>>(MAX_ENTRIES);
  readonly #channels = new BoundedMap<string, Cached<ChannelInfo>>(MAX_ENTRIES);

  constructor(api: SlackApi, timeoutMs: number) {
    this.#api = api;
    this.#timeoutMs = timeoutMs;
  }

  /** From the cache only. */
  nameOf(userId: string): string | undefined {
    return this.#people.get(userId)?.value;
  }

  async learn(userIds: Iterable<string>): Promise<void> {
    await Promise.all(
      [...new Set(userIds)].map((id) => this.#cached(this.#people, id, () => this.#person(id))),
    );
  }

  channel(channel: string): Promise<ChannelInfo | undefined> {
    return this.#cached(this.#channels, channel, () => this.#channelInfo(channel));
  }

  async #cached<T>(map: BoundedMap<string, Cached<T>>, id: string, ask: () => Promise<T | undefined>) {
    const known = map.get(id);
    if (known && known.untilMs > performance.now()) return known.value;
    const fresh = await ask().catch(() => undefined);
    const value = fresh ?? known?.value;
    map.set(id, { value, untilMs: performance.now() + (fresh === undefined ? KEEP_FAILURE_MS : KEEP_MS) });
    return value;
  }

  async #person(user: string): Promise<string | undefined> {
    const bot = user.startsWith("B");
    const method = bot ? "bots.info" : "users.info";
    const response = await this.#api.call<UserResponse>(method, bot ? { bot: user } : { user }, {
      timeoutMs: this.#timeoutMs,
    });
    const { profile, real_name: realName, name } = response.user ?? response.bot ?? {};
    return profile?.display_name || profile?.real_name || realName || name || undefined;
  }

  async #channelInfo(channel: string): Promise<ChannelInfo> {
    const { channel: info } = await this.#api.call<ChannelResponse>(
      "conversations.info",
      { channel },
      { timeoutMs: this.#timeoutMs },
    );
    return { name: info?.name || undefined, topic: info?.topic?.value || undefined };
  }
}

interface UserResponse {
  user?: Named;
  bot?: Named;
}

interface Named {
  name?: string;
  real_name?: string;
  profile?: { display_name?: string; real_name?: string };
}

interface ChannelResponse {
  channel?: { name?: string; topic?: { value?: string } };
}
