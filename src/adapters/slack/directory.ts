/** Names of people and rooms. A name that can't be had in time is left out: no message waits for it. */
import type { SlackApi } from "./api.js";
import { BoundedMap } from "./bounded-map.js";

const MOST = 2000;
const KEEP_MS = 3_600_000;
/** What Slack wouldn't tell is not asked again at every message. */
const KEEP_FAILURE_MS = 60_000;

export interface Room {
  name: string | undefined;
  topic: string | undefined;
}

interface Kept<T> {
  value: T | undefined;
  untilMs: number;
}

export class Directory {
  readonly #api: SlackApi;
  readonly #timeoutMs: number;
  readonly #people = new BoundedMap<string, Kept<string>>(MOST);
  readonly #rooms = new BoundedMap<string, Kept<Room>>(MOST);

  constructor(api: SlackApi, timeoutMs: number) {
    this.#api = api;
    this.#timeoutMs = timeoutMs;
  }

  /** What is known already. */
  nameOf(userId: string): string | undefined {
    return this.#people.get(userId)?.value;
  }

  async learn(userIds: Iterable<string>): Promise<void> {
    await Promise.all(
      [...new Set(userIds)].map((id) => this.#kept(this.#people, id, () => this.#person(id))),
    );
  }

  room(channel: string): Promise<Room | undefined> {
    return this.#kept(this.#rooms, channel, () => this.#room(channel));
  }

  async #kept<T>(map: BoundedMap<string, Kept<T>>, id: string, ask: () => Promise<T | undefined>) {
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
    const answer = await this.#api.call<UserAnswer>(method, bot ? { bot: user } : { user }, {
      timeoutMs: this.#timeoutMs,
    });
    const { profile, real_name: realName, name } = answer.user ?? answer.bot ?? {};
    return profile?.display_name || profile?.real_name || realName || name || undefined;
  }

  async #room(channel: string): Promise<Room> {
    const { channel: room } = await this.#api.call<RoomAnswer>(
      "conversations.info",
      { channel },
      { timeoutMs: this.#timeoutMs },
    );
    return { name: room?.name || undefined, topic: room?.topic?.value || undefined };
  }
}

interface UserAnswer {
  user?: Named;
  bot?: Named;
}

interface Named {
  name?: string;
  real_name?: string;
  profile?: { display_name?: string; real_name?: string };
}

interface RoomAnswer {
  channel?: { name?: string; topic?: { value?: string } };
}
