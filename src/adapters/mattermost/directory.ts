/** Names of people and channels: from events, else asked for once. */
import { BoundedMap } from "../../bounded-map.js";
import { type Channel, isRefusal, type MattermostApi } from "./api.js";

const MAX_KNOWN = 20_000;

export class Directory {
  readonly #api: MattermostApi;
  readonly #names = new BoundedMap<string, string>(MAX_KNOWN);
  readonly #channels = new BoundedMap<string, Channel>(MAX_KNOWN);

  constructor(api: MattermostApi) {
    this.#api = api;
  }

  learn(channel: Channel): void {
    this.#channels.set(channel.id, channel);
  }

  learnName(userId: string, name: string): void {
    this.#names.set(userId, name);
  }

  /** Undefined if the bot may not see it. Rejects if the server is unavailable right now. */
  async channel(id: string, signal: AbortSignal): Promise<Channel | undefined> {
    const known = this.#channels.get(id);
    if (known) return known;
    const found = await this.#api.channel(id, signal).catch(unlessRefused);
    if (found) this.learn(found);
    return found;
  }

  /** A message without its author's name is better than none. */
  async nameOf(userId: string, signal: AbortSignal): Promise<string | null> {
    const known = this.#names.get(userId);
    if (known !== undefined) return known;
    try {
      const { username } = await this.#api.call<{ username?: unknown }>("GET", `/users/${userId}`, {
        signal,
      });
      if (typeof username !== "string" || username === "") return null;
      this.learnName(userId, username);
      return username;
    } catch {
      return null;
    }
  }
}

function unlessRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}
