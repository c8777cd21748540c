/** What Slack delivers → normalised, with names, threads and files → the inbox. Resolves when Slack may be told. */
import { setTimeout as sleep } from "node:timers/promises";
import { nowSeconds } from "../../clock.js";
import { type IncomingMedia, NOT_FETCHED } from "../../media/incoming.js";
import type { Attachment, InboundMessage } from "../../message.js";
import type { AdapterEvents } from "../adapter.js";
import type { SlackApi } from "./api.js";
import { backoffMs } from "./backoff.js";
import { BoundedMap } from "./bounded-map.js";
import type { SlackSettings } from "./config.js";
import type { SeenCursor } from "./cursor.js";
import type { Directory } from "./directory.js";
import { fetchFile } from "./media.js";
import { mentionedIds, readMrkdwn } from "./mrkdwn.js";
import type { Identity, SlackCommand, SlackEvent, SlackFile } from "./native.js";
import { type Incoming, type NormaliseContext, normalise, normaliseCommand } from "./normalise.js";
import type { Responses } from "./responses.js";
import type { ThreadFacts, Threads } from "./threads.js";

export interface Delivered {
  type: string;
  body: unknown;
}

export interface IntakeParts {
  settings: SlackSettings;
  identity: Identity;
  api: SlackApi;
  directory: Directory;
  threads: Threads;
  events: AdapterEvents;
  cursor: SeenCursor;
  responses: Responses;
  commandNames: ReadonlySet<string>;
  closing: AbortSignal;
}

type IncomingMessage = Extract<Incoming, { kind: "message" }>;

/** Copies of a message that come while its files are fetched, or soon after, share them. */
const MOST_PREPARED = 500;
const MOST_NAMES = 10;
const MOST_LOOKS = 4;

export class Intake {
  readonly #parts: IntakeParts;
  readonly #context: NormaliseContext;
  readonly #prepared = new BoundedMap<string, Promise<InboundMessage>>(MOST_PREPARED);
  /** One conversation's messages are received one after another, however long their files take. */
  readonly #lines = new Map<string, Promise<void>>();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.#context = {
      ...parts.settings,
      identity: parts.identity,
      commandNames: parts.commandNames,
      nameOf: (id) => parts.directory.nameOf(id),
    };
  }

  /** Rejects when the inbox didn't take it: then Slack isn't told, and delivers again. */
  async accept({ type, body }: Delivered): Promise<void> {
    if (type === "slash_commands") return await this.#command(body as SlackCommand);
    if (type !== "events_api") return;
    const { event, type: kind } = (body ?? {}) as { event?: SlackEvent; type?: string };
    if (kind === "app_rate_limited") this.#parts.settings.log("warn", RATE_LIMITED);
    if (event) await this.acceptEvent(event);
  }

  async acceptEvent(event: SlackEvent): Promise<void> {
    const shape = this.#understood(event);
    if (!shape) return;
    const { chatId, threadId } = placeOf(shape);
    await this.#inLine(`${chatId}:${threadId ?? ""}`, async () => {
      await this.#learnNames(event);
      const incoming = this.#understood(event) ?? shape;
      if (incoming.kind === "edit") return await this.#parts.events.edited(incoming.edit);
      if (incoming.kind === "delete") return await this.#parts.events.deleted(incoming.ref);
      await this.#message(incoming, event);
    });
  }

  /** What can't be understood will not be understood next time either: it is reported, and Slack need not bring it again. */
  #understood(event: SlackEvent): Incoming | undefined {
    try {
      return normalise(event, this.#context);
    } catch {
      const { type, subtype, ts } = event;
      const what = [type, subtype, ts].filter((part) => typeof part === "string").join(" ");
      this.#parts.settings.log(
        "warn",
        `An event from Slack (${what}) has a shape that nobody knows: skipped`,
      );
      return undefined;
    }
  }

  async #message(incoming: IncomingMessage, event: SlackEvent): Promise<void> {
    const { events, cursor } = this.#parts;
    const { eventId, sentAt } = incoming.message;
    // The gateway won't answer it: it need not be made ready for that.
    if (this.#isTooOld(sentAt)) return await events.receive(incoming.message, cursor.past(event.ts!));
    const prepared = this.#prepared.get(eventId) ?? this.#prepare(incoming, event);
    this.#prepared.set(eventId, prepared);
    prepared.catch(() => this.#prepared.delete(eventId));
    const message = await prepared;
    await events.receive(message, cursor.past(event.ts!));
    this.#remember(message);
  }

  #isTooOld(sentAt: number): boolean {
    const { catchUpMaxAgeSeconds: most } = this.#parts.settings;
    return most > 0 && nowSeconds() - sentAt > most;
  }

  #remember(message: InboundMessage): void {
    const { chatId, threadId, userId, chatType } = message.origin;
    if (!chatId || !threadId) return;
    if (message.mentioned || chatType === "dm") this.#parts.threads.joined(chatId, threadId);
    if (userId && isForBot(message)) this.#parts.threads.visited(chatId, userId, threadId);
  }

  /** What can't be had is left out. Rejects when nobody can tell whether its files are wanted, or whether it is. */
  async #prepare({ message, files, repliesTo }: IncomingMessage, event: SlackEvent): Promise<InboundMessage> {
    const { directory } = this.#parts;
    const [room, thread, attachments] = await Promise.all([
      message.origin.chatType === "dm" ? undefined : directory.room(event.channel!),
      repliesTo === null ? undefined : this.#thread(event.channel!, repliesTo, isForBot(message)),
      this.#files(message, files),
    ]);
    const { name, topic } = room ?? {};
    return {
      ...message,
      attachments,
      origin: { ...message.origin, chatName: name ?? null, chatTopic: topic ?? null },
      threadWithBot: message.threadWithBot || (thread?.withBot ?? false),
      ...(thread?.quoted ? { quoted: thread.quoted } : {}),
    };
  }

  /**
   * In a thread that the bot joins just now, the message it began with says what it is about. Where only the thread can
   * tell whether a message is for the bot, there is no message without the thread: Slack delivers it again.
   */
  async #thread(channel: string, threadTs: string, forBot: boolean) {
    const { threads } = this.#parts;
    const { withBot, root } = forBot
      ? await threads.look(channel, threadTs).catch(() => NOTHING_KNOWN)
      : await this.#patiently(() => threads.look(channel, threadTs));
    if (!root) return { withBot, quoted: undefined };
    const options = { botUserId: this.#parts.identity.userId, nameOf: this.#context.nameOf };
    return { withBot, quoted: { text: readMrkdwn(root.text, options), messageId: root.ts } };
  }

  /** A few times before Slack has to deliver again: what comes behind it would overtake it then. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    const { settings, closing } = this.#parts;
    for (let failures = 0; failures < MOST_LOOKS - 1; failures++) {
      try {
        return await ask();
      } catch {
        await sleep(backoffMs(failures, settings.times), undefined, { signal: closing });
      }
    }
    return await ask();
  }

  async #files(message: InboundMessage, files: readonly SlackFile[]): Promise<Attachment[]> {
    const { media: place } = this.#parts.settings;
    const { attachments } = message;
    if (!place || attachments.length === 0) return attachments;
    if (!(await place.mayFetch(message)))
      return attachments.map((attachment) => ({ ...attachment, problem: NOT_FETCHED }));
    return Promise.all(files.map((file, i) => this.#file(file, attachments[i]!, place)));
  }

  async #file(file: SlackFile, attachment: Attachment, place: IncomingMedia): Promise<Attachment> {
    const { token, apiUrl, times } = this.#parts.settings;
    const signal = this.#parts.closing;
    const options = { token, apiUrl, place, timeoutMs: times.downloadMs, signal };
    return fetchFile(await this.#wholeFile(file), attachment, options);
  }

  /** From other workspaces only the id comes along. */
  async #wholeFile(file: SlackFile): Promise<SlackFile> {
    if (file.file_access !== "check_file_info" || !file.id) return file;
    const { api, settings } = this.#parts;
    try {
      const options = { timeoutMs: settings.times.lookUpMs };
      const { file: whole } = await api.call<{ file?: SlackFile }>("files.info", { file: file.id }, options);
      return whole ?? file;
    } catch {
      return file;
    }
  }

  async #learnNames(event: SlackEvent): Promise<void> {
    const { user, bot_id: botId, text } = event.message ?? event;
    const mentioned = mentionedIds(text ?? "").filter((id) => id !== this.#parts.identity.userId);
    const author = user ?? botId;
    const all = [...(author === undefined || event.message ? [] : [author]), ...mentioned];
    await this.#parts.directory.learn(all.slice(0, MOST_NAMES));
  }

  /** Slack rarely says in which thread a command was typed: it means the one where its user last spoke to the bot. */
  async #command(body: SlackCommand): Promise<void> {
    const { channel_id: channel, user_id: user, thread_ts: given } = body;
    if (!channel || !user) return;
    const { directory, threads, events } = this.#parts;
    const [threadId] = await Promise.all([given ?? threads.lastOf(channel, user), directory.learn([user])]);
    const message = normaliseCommand(body, threadId, nowSeconds(), this.#context);
    if (!message) return;
    await this.#parts.responses.remember(message.origin.messageId!, body.response_url);
    await this.#inLine(`${channel}:${threadId ?? ""}`, () => events.receive(message));
  }

  async #inLine(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#lines.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    // Those behind wait for it and don't care how it went.
    this.#lines.set(key, mine);
    try {
      await mine;
    } finally {
      if (this.#lines.get(key) === mine) this.#lines.delete(key);
    }
  }
}

const RATE_LIMITED = "Slack holds events back: more than 30,000 an hour in this workspace";

const NOTHING_KNOWN: ThreadFacts = { withBot: false, root: undefined };

function isForBot({ origin, mentioned, threadWithBot }: InboundMessage): boolean {
  return origin.chatType === "dm" || mentioned || threadWithBot;
}

function placeOf(incoming: Incoming): { chatId: string | null; threadId: string | null } {
  if (incoming.kind === "message") {
    const { chatId, threadId = null } = incoming.message.origin;
    return { chatId, threadId };
  }
  const { chatId } = incoming.kind === "edit" ? incoming.edit : incoming.ref;
  return { chatId, threadId: incoming.threadId };
}
