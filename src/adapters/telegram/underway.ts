/**
 * Updates that are being taken in: chats side by side, each in its order. A file that comes slowly holds up its own chat
 * alone. No offset passes an update that isn't taken, so Telegram gives all that is open, and all above it, again.
 */
import type { Update } from "grammy/types";
import { chatOf } from "./normalise.js";

/** Gives what hands the update on, and resolves when it is safe with us. */
export type Prepare = (update: Update) => Promise<() => Promise<void>>;

export class Underway {
  readonly #prepare: Prepare;
  readonly #open = new Set<number>();
  /** Also those above an open one: no more than a poll gives. */
  readonly #taken = new Set<number>();
  /** The last of each chat. False: something of it was not taken, and what comes after must not pass it. */
  readonly #chats = new Map<string, Promise<boolean>>();
  #failures: unknown[] = [];

  constructor(prepare: Prepare) {
    this.#prepare = prepare;
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Of what a poll gave: those that aren't known yet. */
  begin(updates: readonly Update[]): void {
    const fresh = updates.filter(
      ({ update_id }) => !this.#open.has(update_id) && !this.#taken.has(update_id),
    );
    const chats = new Map<string, Update[]>();
    for (const update of fresh) chats.set(chatOf(update), [...(chats.get(chatOf(update)) ?? []), update]);
    for (const [chat, queue] of chats) {
      for (const { update_id } of queue) this.#open.add(update_id);
      const before = this.#chats.get(chat) ?? Promise.resolve(true);
      const last = before.then((went) => this.#takeChat(queue, went));
      this.#chats.set(chat, last);
      void last.then(() => this.#chats.get(chat) === last && this.#chats.delete(chat));
    }
  }

  /** Resolves when nothing is open; never rejects. */
  async settled(): Promise<void> {
    while (this.#chats.size > 0) await Promise.all(this.#chats.values());
  }

  /** Why updates were not taken since it was last asked. */
  failures(): unknown[] {
    const failures = this.#failures;
    this.#failures = [];
    return failures;
  }

  /** What a poll with it confirms is forgotten. */
  confirm(updates: readonly Update[]): number | undefined {
    const offset = offsetAfter(updates, this.#taken);
    if (this.isIdle && this.#isAllTaken(updates)) this.#taken.clear();
    else for (const id of this.#taken) if (offset !== undefined && id < offset) this.#taken.delete(id);
    return offset;
  }

  #isAllTaken(updates: readonly Update[]): boolean {
    return updates.every(({ update_id }) => this.#taken.has(update_id));
  }

  async #takeChat(queue: readonly Update[], went: boolean): Promise<boolean> {
    try {
      if (went) for (const album of albumsOf(queue)) await this.#takeAlbum(album);
      return went;
    } catch (error) {
      this.#failures.push(error);
      return false;
    } finally {
      for (const { update_id } of queue) this.#open.delete(update_id);
    }
  }

  /** Its files are fetched together, so that it comes together; one after the other, its first would be answered alone. */
  async #takeAlbum(album: readonly Update[]): Promise<void> {
    const ready = album.map((update) => this.#prepare(update));
    await Promise.allSettled(ready);
    for (const [i, update] of album.entries()) {
      const handOn = await ready[i]!;
      await handOn();
      this.#taken.add(update.update_id);
    }
  }
}

/** Neighbours that were sent as one; everything else is alone. */
function albumsOf(updates: readonly Update[]): Update[][] {
  const albums: Update[][] = [];
  for (const update of updates) {
    const id = (update.message ?? update.channel_post)?.media_group_id;
    const last = albums.at(-1);
    const lastId = (last?.[0]?.message ?? last?.[0]?.channel_post)?.media_group_id;
    if (last && id !== undefined && id === lastId) last.push(update);
    else albums.push([update]);
  }
  return albums;
}

/** The first that wasn't taken, else the one after the last; undefined: there is nothing to confirm. */
export function offsetAfter(updates: readonly Update[], taken: ReadonlySet<number>): number | undefined {
  let offset: number | undefined;
  for (const { update_id } of updates) {
    if (!taken.has(update_id)) break;
    offset = update_id + 1;
  }
  return offset;
}
