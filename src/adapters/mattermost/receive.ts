/** A post → normalised, with its thread and files → the inbox. In order within each channel. */
import { BoundedMap } from "../../bounded-map.js";
import { MediaProblem } from "../../media/incoming.js";
import type { InboundMessage } from "../../message.js";
import { SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents, Cursor } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import { retry } from "../kit/retry.js";
import type { MattermostApi, Me } from "./api.js";
import type { Settings } from "./config.js";
import type { Directory } from "./directory.js";
import { cursorNames, isId, timeOf } from "./ids.js";
import { editOf, inboundOf, isForGateway, type Post, readPost, refOf } from "./normalise.js";
import type { Threads } from "./threads.js";

export interface ReceiverParts {
  api: MattermostApi;
  settings: Settings;
  events: AdapterEvents;
  me: Me;
  threads: Threads;
  directory: Directory;
  signal: AbortSignal;
  /** Called when the inbox stops or resumes accepting messages. */
  stuck(isStuck: boolean): void;
}

const MAX_CHANNELS = 20_000;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;
  readonly #queue = new SerialQueue();
  /** Channel → the time of its newest post that the inbox has. */
  readonly #newest = new BoundedMap<string, number>(MAX_CHANNELS);
  /** While events may be missing, only reading a channel moves its cursor. */
  isIncomplete = false;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#downloads = downloadsOf(parts.settings);
  }

  /** Runs work of a channel after everything that came before. Rejects when too much is waiting. */
  inOrder(channelId: string, work: () => Promise<void>): Promise<void> {
    return this.#queue.add(channelId, async () => {
      if (!this.#parts.signal.aborted) await work();
    });
  }

  /** An event of the socket. Resolves when the inbox has it; rejects when too much is waiting or the adapter stops. */
  async push(name: string, data: Record<string, unknown>): Promise<void> {
    const post = readPost(parsed(data.post));
    if (!post) return;
    if (typeof data.sender_name === "string" && data.sender_name.startsWith("@"))
      this.#parts.directory.learnName(post.userId, data.sender_name.slice(1));
    if (name === "posted") {
      const mentions = readIds(data.mentions);
      await this.inOrder(post.channelId, () => this.take(post, mentions, !this.isIncomplete));
    }
    if (name === "post_edited") await this.inOrder(post.channelId, () => this.edited(post));
    if (name === "post_deleted") await this.inOrder(post.channelId, () => this.deleted(post));
  }

  /** Resolves when the inbox has it. */
  async take(post: Post, mentions: readonly string[] | undefined, movesCursor: boolean): Promise<void> {
    const { me, events, threads, signal } = this.#parts;
    if (post.userId === me.id) threads.joined(post.rootId);
    if (!isForGateway(post, me)) return;
    const message = await this.persist(() => this.#prepare(post, mentions));
    if (!message || signal.aborted) return;
    const cursor = movesCursor ? await this.#cursorPast(post) : undefined;
    await this.persist(() => events.receive(message, cursor));
  }

  async edited(post: Post): Promise<void> {
    const { me, events, settings } = this.#parts;
    if (!isForGateway(post, me) || post.editAt === 0) return;
    await this.persist(() => events.edited(editOf(post, { me, ...settings })));
  }

  async deleted(post: Post): Promise<void> {
    const { me, events, settings } = this.#parts;
    if (post.userId === me.id || post.type !== "") return;
    await this.persist(() => events.deleted(refOf(post, settings.account)));
  }

  /** Retries until it works or the adapter stops. */
  persist<T>(work: () => Promise<T>): Promise<T> {
    const { settings, signal, stuck } = this.#parts;
    let hasFailed = false;
    const onFailure = () => {
      hasFailed = true;
      stuck(true);
      return undefined;
    };
    return retry(work, { backoff: settings.timing.receiveRetry, signal, onFailure }).then((value) => {
      if (hasFailed) stuck(false);
      return value;
    });
  }

  /** When the newest post of a channel was written that the inbox has; undefined if there is none. */
  async newestIn(channelId: string): Promise<number | undefined> {
    const known = this.#newest.get(channelId);
    if (known !== undefined) return known;
    const stored = timeOf(
      await this.persist(() => this.#parts.events.cursor(cursorNames.channel(channelId))),
    );
    if (stored !== undefined) this.#newest.set(channelId, stored);
    return stored;
  }

  async moveCursor(channelId: string, timeMs: number): Promise<void> {
    const newest = await this.newestIn(channelId);
    if (newest !== undefined && newest >= timeMs) return;
    this.#newest.set(channelId, timeMs);
    const cursor = { name: cursorNames.channel(channelId), value: String(timeMs) };
    await this.persist(() => this.#parts.events.saveCursor(cursor));
  }

  async #cursorPast({ channelId, createAt }: Post): Promise<Cursor> {
    const newest = Math.max(createAt, (await this.newestIn(channelId)) ?? 0);
    this.#newest.set(channelId, newest);
    return { name: cursorNames.channel(channelId), value: String(newest) };
  }

  /** Undefined if the bot may not see its channel. Rejects if the server is unavailable right now. */
  async #prepare(post: Post, mentions: readonly string[] | undefined): Promise<InboundMessage | undefined> {
    const { me, settings, directory, threads, signal } = this.#parts;
    const channel = await directory.channel(post.channelId, signal);
    if (!channel) return undefined;
    const [thread, userName] = await Promise.all([
      post.rootId === "" ? undefined : threads.look(post.rootId, me, signal),
      directory.nameOf(post.userId, signal),
    ]);
    const context = { ...settings, me, channel, userName, mentions, thread };
    const message = inboundOf(post, context);
    return this.#withFiles(post, post.editAt > 0 ? { ...message, edited: true } : message);
  }

  async #withFiles({ fileIds }: Post, message: InboundMessage): Promise<InboundMessage> {
    if (!this.#downloads || fileIds.length === 0) return message;
    const { settings, signal } = this.#parts;
    const remote = message.attachments.map((attachment, i) => ({
      attachment,
      locate: () => locate(fileIds[i]!, settings),
    }));
    return { ...message, attachments: await this.#downloads.fetchAll(message, remote, signal) };
  }
}

function locate(fileId: string, { apiUrl, token }: Settings) {
  if (!isId(fileId)) throw new MediaProblem("Mattermost gives no address to download it from");
  return { url: `${apiUrl}/api/v4/files/${fileId}`, headers: { authorization: `Bearer ${token}` } };
}

function downloadsOf({ media, apiUrl, timing }: Settings): MediaDownloads | undefined {
  if (!media) return undefined;
  const isOwn = (url: URL) => url.origin === new URL(apiUrl).origin;
  return new MediaDownloads({ label: "Mattermost", media, timeoutMs: timing.downloadMs, isOwn });
}

/** Events carry posts and lists as JSON in a text. */
function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function readIds(text: unknown): string[] {
  const ids = parsed(text);
  return Array.isArray(ids) ? ids.filter(isId) : [];
}
