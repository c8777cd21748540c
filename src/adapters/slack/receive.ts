/** Slack event or command → normalised, with names, thread and files → the inbox. */
import { backoffMs, pause } from "../../backoff.js";
import { BoundedMap } from "../../bounded-map.js";
import { nowSeconds } from "../../clock.js";
import type { InboundMessage } from "../../message.js";
import { SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents } from "../adapter.js";
import type { SlackApi } from "./api.js";
import type { Listeners } from "./bolt.js";
import type { Settings } from "./config.js";
import type { SeenCursor } from "./cursor.js";
import type { Directory } from "./directory.js";
import { Files } from "./files.js";
import { isTs } from "./ids.js";
import { mentionedIds, readMrkdwn } from "./mrkdwn.js";
import { type Incoming, type NormaliseContext, normalise, normaliseCommand } from "./normalise.js";
import type { Identity, SlackCommand, SlackEvent, SlackPress } from "./payloads.js";
import { normalisePress } from "./presses.js";
import type { Responses } from "./responses.js";
import type { ThreadFacts, Threads } from "./threads.js";

export interface EventHandlerParts {
  settings: Settings;
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

/** Redeliveries of a message share its lookups and files. */
const MAX_PREPARED = 500;
const MAX_NAMES = 10;
const MAX_THREAD_LOOKUPS = 4;

/** Its methods resolve when the inbox has stored the message, and reject when it has not. */
export class EventHandler implements Listeners {
  readonly #parts: EventHandlerParts;
  readonly #context: NormaliseContext;
  readonly #prepared = new BoundedMap<string, Promise<InboundMessage>>(MAX_PREPARED);
  /** Messages of one conversation are stored in order, even if the first one has slow files. */
  readonly #queue = new SerialQueue();
  readonly #files: Files;

  constructor(parts: EventHandlerParts) {
    this.#parts = parts;
    this.#files = new Files(parts.settings, parts.api);
    this.#context = {
      ...parts.settings,
      identity: parts.identity,
      commandNames: parts.commandNames,
      nameOf: (id) => parts.directory.nameOf(id),
    };
  }

  async event(event: SlackEvent): Promise<void> {
    const first = this.#normalise(event);
    if (!first) return;
    await this.#queue.add(conversationOf(first), async () => {
      await this.#learnNames(event);
      const incoming = this.#normalise(event) ?? first;
      if (incoming.kind === "edit") return await this.#parts.events.edited(incoming.edit);
      if (incoming.kind === "delete") return await this.#parts.events.deleted(incoming.ref);
      await this.#message(incoming, event);
    });
  }

  /** A redelivery of a malformed event would fail again, so it is logged and skipped. */
  #normalise(event: SlackEvent): Incoming | undefined {
    try {
      return normalise(event, this.#context);
    } catch {
      const { type, subtype, ts } = event;
      const what = [type, subtype, ts].filter((part) => typeof part === "string").join(" ");
      this.#parts.settings.log("warn", `Skipped an event from Slack with an unknown shape (${what})`);
      return undefined;
    }
  }

  async #message(incoming: IncomingMessage, event: SlackEvent): Promise<void> {
    const { events, cursor } = this.#parts;
    const { eventId, sentAt } = incoming.message;
    // The gateway won't answer it, so it needs no names or files.
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

  /** Failed lookups are skipped. Rejects if access to the message or its files can't be decided yet. */
  async #prepare({ message, files, repliesTo }: IncomingMessage, event: SlackEvent): Promise<InboundMessage> {
    const { directory, closing } = this.#parts;
    const [channel, thread, attachments] = await Promise.all([
      message.origin.chatType === "dm" ? undefined : directory.channel(event.channel!),
      repliesTo === null ? undefined : this.#thread(event.channel!, repliesTo, isForBot(message)),
      this.#files.fetch(message, files, closing),
    ]);
    const { name, topic } = channel ?? {};
    return {
      ...message,
      attachments,
      origin: { ...message.origin, chatName: name ?? null, chatTopic: topic ?? null },
      threadWithBot: message.threadWithBot || (thread?.withBot ?? false),
      ...(thread?.quoted ? { quoted: thread.quoted } : {}),
    };
  }

  /**
   * The root gives the context of a thread that the bot joins now. If only the thread can show whether a message is for
   * the bot, a failed lookup rejects and Slack delivers the message again.
   */
  async #thread(channel: string, threadTs: string, forBot: boolean) {
    const { threads } = this.#parts;
    const { withBot, root } = forBot
      ? await threads.look(channel, threadTs).catch(() => UNKNOWN_THREAD)
      : await this.#retrying(() => threads.look(channel, threadTs));
    if (!root) return { withBot, quoted: undefined };
    const options = { botUserId: this.#parts.identity.userId, nameOf: this.#context.nameOf };
    return { withBot, quoted: { text: readMrkdwn(root.text, options), messageId: root.ts } };
  }

  /** Later messages would overtake a redelivered one, so retry here first. */
  async #retrying<T>(ask: () => Promise<T>): Promise<T> {
    const { settings, closing } = this.#parts;
    for (let failures = 0; failures < MAX_THREAD_LOOKUPS - 1; failures++) {
      try {
        return await ask();
      } catch {
        await pause(backoffMs(failures, settings.backoff), closing);
        closing.throwIfAborted();
      }
    }
    return await ask();
  }

  async #learnNames(event: SlackEvent): Promise<void> {
    const { user, bot_id: botId, text } = event.message ?? event;
    const mentioned = mentionedIds(text ?? "").filter((id) => id !== this.#parts.identity.userId);
    const author = user ?? botId;
    const all = [...(author === undefined || event.message ? [] : [author]), ...mentioned];
    await this.#parts.directory.learn(all.slice(0, MAX_NAMES));
  }

  /** Slack rarely gives the thread of a command: use the one where the user last talked to the bot. */
  async command(body: SlackCommand): Promise<void> {
    const { channel_id: channel, user_id: user, thread_ts: given } = body;
    if (!isText(channel) || !isText(user)) return;
    const { directory, threads, events } = this.#parts;
    const [threadId] = await Promise.all([
      isTs(given) ? given : threads.lastOf(channel, user),
      directory.learn([user]),
    ]);
    const message = normaliseCommand(body, threadId, nowSeconds(), this.#context);
    if (!message) return;
    await this.#parts.responses.remember(message.origin.messageId!, body.response_url);
    await this.#queue.add(`${channel}:${threadId ?? ""}`, () => events.receive(message));
  }

  /** Not behind messages, whose files may be slow: Slack allows three seconds and delivers a press once. */
  async press(body: SlackPress): Promise<void> {
    const { directory, events } = this.#parts;
    if (isText(body.user?.id)) await directory.learn([body.user.id]);
    const message = normalisePress(body, this.#context);
    if (message) await events.receive(message);
  }
}

const UNKNOWN_THREAD: ThreadFacts = { withBot: false, root: undefined };

/** A repeated field of a form comes as an array. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isForBot({ origin, mentioned, threadWithBot }: InboundMessage): boolean {
  return origin.chatType === "dm" || mentioned || threadWithBot;
}

function conversationOf(incoming: Incoming): string {
  if (incoming.kind === "message") {
    const { chatId, threadId } = incoming.message.origin;
    return `${chatId}:${threadId ?? ""}`;
  }
  const { chatId } = incoming.kind === "edit" ? incoming.edit : incoming.ref;
  return `${chatId}:${incoming.threadId ?? ""}`;
}
