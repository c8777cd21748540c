/** Posts that no socket brought: all channels are listed, and those with news are read from their cursors on. */
import type { AdapterEvents } from "../adapter.js";
import { type Channel, isRefusal, type MattermostApi } from "./api.js";
import type { Settings } from "./config.js";
import type { Directory } from "./directory.js";
import { cursorNames, timeOf } from "./ids.js";
import { type Post, readPost } from "./normalise.js";
import type { Receiver } from "./receive.js";

export interface CatchUpParts {
  api: MattermostApi;
  settings: Settings;
  events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  receiver: Receiver;
  directory: Directory;
  signal: AbortSignal;
}

/** The server gives no more at once. */
const SINCE_LIMIT = 1000;
const PAGE = 200;
const MAX_PAGES = 20;

export class CatchUp {
  readonly #parts: CatchUpParts;
  /** Up to here all channels were read; undefined before the first connect ever. */
  #seenMs: number | undefined;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /**
   * Lists the channels, and puts the reading of each that has news into its queue: posts that are pushed later come behind
   * it. Resolves with a promise that resolves when all are read. Rejects if they can't be listed.
   */
  async plan(isAfterGap: boolean): Promise<() => Promise<void>> {
    const { api, settings, signal, directory, receiver } = this.#parts;
    const channels = await api.channels(signal);
    const listedAtMs = api.nowMs;
    for (const channel of channels) directory.learn(channel);
    const seenMs = await this.#seen(Math.max(listedAtMs, ...channels.map(({ lastPostAt }) => lastPostAt)));
    if (settings.catchUpMaxAgeSeconds === 0) return async () => undefined;
    const jobs: Promise<void>[] = [];
    for (const channel of channels) {
      const cursor = await receiver.newestIn(channel.id);
      const fromMs = cursor === undefined ? seenMs : cursor - settings.timing.overlapMs;
      if (channel.lastPostAt <= (isAfterGap ? fromMs : (cursor ?? seenMs))) continue;
      const job = receiver.inOrder(channel.id, () => receiver.persist(() => this.#read(channel, fromMs)));
      // `finish` awaits all jobs.
      job.catch(() => undefined);
      jobs.push(job);
    }
    return async () => {
      await Promise.all(jobs);
      await this.#saw(listedAtMs - settings.timing.overlapMs);
    };
  }

  /** Messages from before the very first connect are skipped. */
  async #seen(nowMs: number): Promise<number> {
    const { events, receiver } = this.#parts;
    this.#seenMs ??= timeOf(await receiver.persist(() => events.cursor(cursorNames.seen)));
    if (this.#seenMs === undefined) await this.#saw(nowMs);
    return this.#seenMs!;
  }

  async #saw(timeMs: number): Promise<void> {
    const { events, receiver } = this.#parts;
    if (this.#seenMs !== undefined && this.#seenMs >= timeMs) return;
    this.#seenMs = timeMs;
    await receiver.persist(() => events.saveCursor({ name: cursorNames.seen, value: String(timeMs) }));
  }

  async #read({ id }: Channel, fromMs: number): Promise<void> {
    const { receiver, settings, signal, api } = this.#parts;
    const cursor = (await receiver.newestIn(id)) ?? fromMs;
    const oldestMs = api.nowMs - settings.catchUpMaxAgeSeconds * 1000;
    if (cursor < oldestMs)
      settings.log("warn", "skipped missed posts that are too old to be answered", { channelId: id });
    const posts = await this.#postsSince(id, Math.max(fromMs, oldestMs));
    for (const post of posts) {
      if (signal.aborted) return;
      await this.#take(post, cursor, Math.max(fromMs, oldestMs));
    }
    const newest = posts.reduce((most, { createAt }) => Math.max(most, createAt), 0);
    if (newest > 0 && !signal.aborted) await receiver.moveCursor(id, newest);
  }

  /** The list also has old posts that changed: edits and deletions after the cursor are news. */
  async #take(post: Post, cursorMs: number, fromMs: number): Promise<void> {
    const { receiver } = this.#parts;
    if (post.deleteAt > 0) {
      if (post.deleteAt > cursorMs) await receiver.deleted(post);
      return;
    }
    if (post.createAt > fromMs) await receiver.take(post, undefined, true);
    if (post.createAt <= cursorMs && post.editAt > cursorMs) await receiver.edited(post);
  }

  /** Oldest first. */
  async #postsSince(channelId: string, sinceMs: number): Promise<Post[]> {
    const { api, signal, settings } = this.#parts;
    const found = new Map<string, Post>();
    const add = (values: readonly unknown[]) => {
      const posts = values.flatMap((value) => readPost(value) ?? []);
      for (const post of posts) found.set(post.id, post);
      return posts;
    };
    try {
      let page = add(await api.posts(channelId, { since: Math.max(0, Math.floor(sinceMs)) }, signal));
      for (let pages = 0; page.length >= (pages === 0 ? SINCE_LIMIT : PAGE); pages++) {
        if (pages === MAX_PAGES) {
          settings.log("warn", "too many missed posts in a channel: the oldest were skipped", { channelId });
          break;
        }
        const oldest = page.reduce((a, b) => (b.createAt < a.createAt ? b : a));
        if (oldest.createAt <= sinceMs) break;
        page = add(await api.posts(channelId, { before: oldest.id, per_page: PAGE }, signal));
      }
    } catch (error) {
      // The bot may not read it any more.
      if (!isRefusal(error)) throw error;
    }
    return [...found.values()].sort((a, b) => a.createAt - b.createAt || (a.id < b.id ? -1 : 1));
  }
}
