/**
 * Updates that are being received: chats in parallel, each in order. A slow file delays its own chat only. The offset never
 * passes an update that wasn't received, so Telegram delivers that one and all above it again.
 */
import type { Update } from "grammy/types";
import { SerialQueue } from "../../serial-queue.js";
import { chatOf } from "./normalise.js";

/** Downloads an update's files. The function it returns passes the update on, and resolves when the inbox has it. */
export type Prepare = (update: Update) => Promise<() => Promise<void>>;

export class PendingUpdates {
  readonly #prepare: Prepare;
  readonly #queue = new SerialQueue();
  /** Update id → its chat. */
  readonly #open = new Map<number, string>();
  /** Also those above an open one: at most as many as a poll returns. */
  readonly #received = new Set<number>();
  /** Chats in which an update failed: the updates queued behind it must not overtake it. */
  readonly #failedChats = new Set<string>();
  #failures: unknown[] = [];

  constructor(prepare: Prepare) {
    this.#prepare = prepare;
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Starts on those updates of a poll that aren't known yet. */
  add(updates: readonly Update[]): void {
    const openChats = new Set(this.#open.values());
    for (const chat of this.#failedChats) if (!openChats.has(chat)) this.#failedChats.delete(chat);
    const fresh = updates.filter(
      ({ update_id }) => !this.#open.has(update_id) && !this.#received.has(update_id),
    );
    const chats = new Map<string, Update[]>();
    for (const update of fresh) chats.set(chatOf(update), [...(chats.get(chatOf(update)) ?? []), update]);
    for (const [chat, queued] of chats) {
      for (const { update_id } of queued) this.#open.set(update_id, chat);
      const failed = (error: unknown) => this.#failed(chat, queued, error);
      this.#queue.add(chat, () => this.#receiveChat(chat, queued).catch(failed)).catch(failed);
    }
  }

  /** Resolves when no update is open; never rejects. */
  async idle(): Promise<void> {
    await this.#queue.idle();
  }

  /** Why updates failed since the last call. */
  failures(): unknown[] {
    const failures = this.#failures;
    this.#failures = [];
    return failures;
  }

  /** The offset that confirms the received updates; those are forgotten. */
  confirm(updates: readonly Update[]): number | undefined {
    const offset = offsetAfter(updates, this.#received);
    if (this.isIdle && this.#areAllReceived(updates)) this.#received.clear();
    else for (const id of this.#received) if (offset !== undefined && id < offset) this.#received.delete(id);
    return offset;
  }

  #areAllReceived(updates: readonly Update[]): boolean {
    return updates.every(({ update_id }) => this.#received.has(update_id));
  }

  async #receiveChat(chat: string, queued: readonly Update[]): Promise<void> {
    if (!this.#failedChats.has(chat)) for (const album of albumsOf(queued)) await this.#receiveAlbum(album);
    this.#close(queued);
  }

  #failed(chat: string, queued: readonly Update[], error: unknown): void {
    this.#failedChats.add(chat);
    this.#failures.push(error);
    this.#close(queued);
  }

  #close(queued: readonly Update[]): void {
    for (const { update_id } of queued) this.#open.delete(update_id);
  }

  /** All files of an album are downloaded first: otherwise its first file would be answered alone. */
  async #receiveAlbum(album: readonly Update[]): Promise<void> {
    const prepared = album.map((update) => this.#prepare(update));
    await Promise.allSettled(prepared);
    for (const [i, update] of album.entries()) {
      const passOn = await prepared[i]!;
      await passOn();
      this.#received.add(update.update_id);
    }
  }
}

/** Neighbours that were sent as one album; each other update is alone. */
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

/** The id of the first update that wasn't received, else the one after the last; undefined: nothing to confirm. */
export function offsetAfter(updates: readonly Update[], received: ReadonlySet<number>): number | undefined {
  let offset: number | undefined;
  for (const { update_id } of updates) {
    if (!received.has(update_id)) break;
    offset = update_id + 1;
  }
  return offset;
}
