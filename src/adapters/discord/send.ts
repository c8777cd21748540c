/** One part of an outbound message → Discord, and whether a part has arrived. */
import { randomUUID } from "node:crypto";
import type { APIMessage, REST } from "discord.js";
import { RESTJSONErrorCodes as Codes } from "discord-api-types/v10";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundFile, OutboundMessage, Target } from "../../message.js";
import type { LookedUp, PartContext } from "../adapter.js";
import { previewEnd } from "../preview.js";
import type { ButtonRow } from "./components.js";
import type { Settings } from "./config.js";
import { discordCode, isRefusal, sendErrorOf } from "./faults.js";
import { findSent, type Matcher, type SearchScope } from "./find-sent.js";
import { isId, nonceOf, parseMessageId } from "./ids.js";
import type { Interactions } from "./interactions.js";
import { multipart } from "./multipart.js";
import type { DiscordPart, TextPart } from "./outgoing.js";
import { CUT_OFF, renderParts, renderPreview } from "./render.js";

/** The message to edit is gone, or the time for a command's answer is over. */
const GONE: ReadonlySet<number> = new Set([
  Codes.UnknownMessage,
  Codes.UnknownWebhook,
  Codes.InvalidWebhookToken,
]);
const TYPING_EVERY_MS = 4000;
const MAX_REMEMBERED = 500;
const MAX_THREAD_NAME = 80;

export interface SenderParts {
  rest: REST;
  settings: Settings;
  botId: string;
  interactions: Interactions;
}

type NewMessage = Record<string, unknown>;

export class Sender {
  readonly #parts: SenderParts;
  readonly #typedAtMs = new BoundedMap<string, number>(MAX_REMEMBERED);
  /** Channels where quoting is not allowed; logged once each. */
  readonly #cantQuote = new BoundedMap<string, true>(MAX_REMEMBERED);

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async sendPart(
    message: OutboundMessage,
    part: DiscordPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    try {
      if ("files" in part) return [await this.#postFiles(message, part.files, context, signal)];
      const edited = context.index === 0 ? await this.#editInto(message, part, context, signal) : undefined;
      const quotes = this.#quotes(context);
      return [
        edited ?? (await this.#create(message.target, this.#body(message, part, context, quotes), signal)),
      ];
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  async #postFiles(
    message: OutboundMessage,
    wanted: readonly OutboundFile[],
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string> {
    const { content, files } = await this.#locate(wanted);
    const quotes = this.#parts.settings.replyToMode === "all";
    return this.#create(message.target, this.#body(message, { content }, context, quotes), signal, files);
  }

  /** Our copies, with a note about those that have been cleaned up. */
  async #locate(wanted: readonly OutboundFile[]) {
    const { home = "" } = this.#parts.settings.media ?? {};
    const { text, files } = await filesToSend({ text: "", files: wanted }, home);
    return { content: renderParts(text)[0] ?? "", files };
  }

  #quotes({ index }: PartContext): boolean {
    const { replyToMode } = this.#parts.settings;
    return replyToMode === "all" || (replyToMode === "first" && index === 0);
  }

  /** The first part replaces a command's "is thinking" or a preview. */
  async #editInto(
    { target, nonce }: OutboundMessage,
    { content, components }: TextPart,
    { replaces }: PartContext,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const deferred = await this.#parts.interactions.claim(target.replyTo, nonce);
    const preview = replaces === undefined ? undefined : messagePath(target, replaces);
    for (const path of [deferred, preview]) {
      const id = path && (await this.#edit(path, content, signal, components));
      if (id) return id;
    }
    return undefined;
  }

  /** Undefined if it is gone. */
  async #edit(
    path: `/${string}`,
    content: string,
    signal: AbortSignal,
    components?: readonly ButtonRow[],
  ): Promise<string | undefined> {
    try {
      const body = { content, allowed_mentions: { parse: [] }, ...(components ? { components } : {}) };
      const auth = !path.startsWith("/webhooks/");
      return ((await this.#parts.rest.patch(path, { body, auth, signal })) as APIMessage).id;
    } catch (error) {
      const code = discordCode(error);
      if (code !== undefined && GONE.has(code)) return undefined;
      throw error;
    }
  }

  #body(
    { target, nonce }: OutboundMessage,
    { content, components }: TextPart,
    { index }: PartContext,
    quotes: boolean,
  ): NewMessage {
    return {
      content,
      nonce: nonceOf(nonce, index),
      // A second post with this nonce returns the first message.
      enforce_nonce: true,
      // A model's text never pings anyone; only the person who asked is notified.
      allowed_mentions: { parse: [], replied_user: true },
      ...(components ? { components } : {}),
      ...(quotes ? this.#reference(target) : {}),
    };
  }

  #reference({ replyTo }: Target): NewMessage {
    if (replyTo === null || !isId(replyTo) || this.#parts.interactions.isKnown(replyTo)) return {};
    return { message_reference: { message_id: replyTo, fail_if_not_exists: false } };
  }

  async #create(
    target: Target,
    body: NewMessage,
    signal: AbortSignal,
    files: readonly SendableFile[] = [],
  ): Promise<string> {
    const post = async (content: NewMessage) => {
      const path = `/channels/${channelOf(target)}/messages` as const;
      const payload = files.length === 0 ? { body: content } : await multipart(content, files);
      return ((await this.#parts.rest.post(path, { ...payload, signal })) as APIMessage).id;
    };
    try {
      return await post(body);
    } catch (error) {
      const code = discordCode(error);
      if (code === Codes.CannotReplyWithoutPermissionToReadMessageHistory)
        return post(this.#unquoted(target, body));
      if (code !== Codes.UnknownChannel || !(await this.#openThread(target, signal))) throw error;
      return post(body);
    }
  }

  /** An answer without a quote is better than none. */
  #unquoted(target: Target, { message_reference: _, ...body }: NewMessage): NewMessage {
    const channelId = channelOf(target);
    if (!this.#cantQuote.has(channelId))
      this.#parts.settings.log(
        "warn",
        "The bot may not quote messages in this channel: give its role Read Message History",
        {
          channelId,
        },
      );
    this.#cantQuote.set(channelId, true);
    return body;
  }

  /** Opens the question's own thread. False if the question isn't answered in its own thread. */
  async #openThread({ replyTo }: Target, signal: AbortSignal): Promise<boolean> {
    const { parentId, messageId } = parseMessageId(replyTo ?? "");
    if (parentId === null) return false;
    const path = `/channels/${parentId}/messages/${messageId}/threads` as const;
    const name = await this.#threadName(parentId, messageId, signal);
    try {
      await this.#parts.rest.post(path, { body: { name, auto_archive_duration: 1440 }, signal });
    } catch (error) {
      if (discordCode(error) !== Codes.ThreadAlreadyCreatedForMessage) throw error;
    }
    return true;
  }

  async #threadName(channelId: string, messageId: string, signal: AbortSignal): Promise<string> {
    const query = new URLSearchParams({ after: String(BigInt(messageId) - 1n), limit: "1" });
    const found = await this.#parts.rest.get(`/channels/${channelId}/messages`, { query, signal });
    const text = (found as APIMessage[])[0]?.content.replace(/<[@#][!&]?\d+>/g, "").trim() ?? "";
    return Array.from(text.split("\n", 1)[0]!).slice(0, MAX_THREAD_NAME).join("") || "Answer";
  }

  // ── previews, typing ───────────────────────────────────────────────────────────────────────────────────────────────

  async show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null> {
    const content = renderPreview(text);
    if (content === "") return messageId;
    const path =
      this.#parts.interactions.pathFor(target.replyTo) ??
      (messageId === null ? undefined : messagePath(target, messageId));
    try {
      if (path) return (await this.#edit(path, content, signal)) ?? null;
      const nonce = nonceOf(randomUUID(), 0);
      const quote = this.#parts.settings.replyToMode === "off" ? {} : this.#reference(target);
      const body = { content, nonce, enforce_nonce: true, allowed_mentions: { parse: [] }, ...quote };
      await posting?.();
      return await this.#create(target, body, signal);
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  /** Leaves an answer that has replaced a command's "is thinking" untouched. */
  async abandon(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    const { interactions, rest } = this.#parts;
    const isCommand = target.replyTo !== null && interactions.isKnown(target.replyTo);
    const path = isCommand ? interactions.pathFor(target.replyTo) : messagePath(target, messageId);
    const content = renderPreview(text);
    if (!path) return;
    try {
      if (content !== "") await this.#edit(path, content, signal);
      else await rest.delete(path, { auth: !isCommand, signal });
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  /** Our reply to that message which still ends with the mark of an unfinished answer. */
  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    const mark = this.#parts.settings.streamCursor.trim();
    // Without quotes the mark alone must do. In a direct message it does: one answer is written at a time.
    const markOnly = target.chatType === "dm" && this.#parts.settings.replyToMode === "off";
    const scope = this.#searchScope(target, markOnly);
    if (mark === "" || !scope) return null;
    const isUnfinished: Matcher = ({ content }) =>
      content.trimEnd().endsWith(mark) || (!markOnly && content.endsWith(CUT_OFF));
    try {
      return (await findSent(this.#parts, scope, isUnfinished, signal)) ?? null;
    } catch (error) {
      if (isRefusal(error)) return null;
      throw asNeverSent(error);
    }
  }

  /** Without components an edit would keep the buttons. */
  async settleQuestion(
    target: Target,
    messageIds: readonly string[],
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    const path = messagePath(target, messageIds.at(-1) ?? "");
    const content = renderParts(previewEnd(text)).at(-1) ?? "…";
    try {
      if (path) await this.#edit(path, content, signal, []);
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  /** Removes the "is thinking" of a command that gets no answer. */
  dismiss(target: Target): void {
    const path = this.#parts.interactions.pathFor(target.replyTo);
    if (!path) return;
    this.#parts.rest.delete(path, { auth: false }).catch((error: unknown) => {
      this.#parts.settings.log("debug", "a command's pending answer was not removed", { err: error });
    });
  }

  /** Discord shows it for ten seconds. */
  type(target: Target): void {
    const channelId = target.threadId ?? target.chatId ?? "";
    const now = performance.now();
    if (!isId(channelId)) return;
    if (now - (this.#typedAtMs.get(channelId) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS) return;
    this.#typedAtMs.set(channelId, now);
    const signal = AbortSignal.timeout(TYPING_EVERY_MS);
    this.#parts.rest.post(`/channels/${channelId}/typing`, { signal }).catch(() => {});
  }

  /** A part is recognised by its content, after the part before it or after the question that it quotes. */
  async lookUp(
    { target }: OutboundMessage,
    part: DiscordPart,
    { sent, replaces }: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    const scope = this.#partScope(target, part, sent.at(-1));
    if (!scope) return "unknown";
    const previewId = replaces !== undefined && isId(replaces) ? replaces : undefined;
    const isPart = "files" in part ? hasFiles((await this.#locate(part.files)).files) : hasText(part.content);
    try {
      const found = await findSent(this.#parts, { ...scope, previewId }, isPart, signal);
      return found === undefined ? "missing" : [found];
    } catch (error) {
      if (isRefusal(error)) return "unknown";
      throw asNeverSent(error);
    }
  }

  #partScope(target: Target, part: DiscordPart, previous: string | undefined): SearchScope | undefined {
    if (previous !== undefined && isId(previous))
      return { channelId: channelOf(target), afterId: previous, quoted: false };
    // Files alone quote nothing.
    return "files" in part ? undefined : this.#searchScope(target);
  }

  /** Undefined: answers to this target can't be recognised. */
  #searchScope(target: Target, markOnly = false): SearchScope | undefined {
    const { messageId: questionId, parentId } = parseMessageId(target.replyTo ?? "");
    // In its own thread, the first post is ours and quotes nothing.
    const quoted = parentId === null && this.#parts.settings.replyToMode !== "off";
    const findable = isId(questionId) && (quoted || parentId !== null || markOnly);
    return findable ? { channelId: channelOf(target), afterId: questionId, quoted } : undefined;
  }
}

/** Only the search failed: nothing of the message was sent. */
function asNeverSent(cause: unknown): SendError {
  const failure = sendErrorOf(cause);
  if (failure.outcome === "never_sent") return failure;
  return new SendError("never_sent", "Discord can't be searched for earlier attempts of this message", {
    cause,
  });
}

function hasText(text: string): Matcher {
  return ({ content }) => content.trim() === text.trim();
}

function hasFiles(files: readonly SendableFile[]): Matcher {
  return ({ attachments = [] }) =>
    attachments.length === files.length && files.every((file, i) => attachments[i]?.size === file.bytes);
}

function channelOf({ threadId, chatId }: Target): string {
  const id = threadId ?? chatId ?? "";
  if (!isId(id)) throw new SendError("refused", "Not a Discord channel id.");
  return id;
}

function messagePath(target: Target, messageId: string): `/${string}` | undefined {
  return isId(messageId) ? `/channels/${channelOf(target)}/messages/${messageId}` : undefined;
}
