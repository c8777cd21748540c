/** Posts one part of an answer with a marker, which identifies the post after an uncertain send. */
import { setTimeout as sleep } from "node:timers/promises";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundFile, OutboundMessage, Target } from "../../message.js";
import type { LookedUp, PartContext } from "../adapter.js";
import type { SlackApi } from "./api.js";
import type { Settings } from "./config.js";
import { slackCode, toSendError } from "./errors.js";
import { pages } from "./history.js";
import { isTs, streamId } from "./ids.js";
import {
  destinationOf,
  editBody,
  lastPart,
  MARKER_TYPE,
  markerOf,
  PREVIEW_TYPE,
  postBody,
  type SlackPart,
  type TextPart,
} from "./outgoing.js";
import type { Identity, SlackEvent } from "./payloads.js";
import { render } from "./render.js";
import type { Responses } from "./responses.js";
import type { Streams } from "./streams.js";
import type { Threads } from "./threads.js";
import { upload } from "./upload.js";

export interface SenderParts {
  settings: Settings;
  api: SlackApi;
  identity: Identity;
  streams: Streams;
  threads: Threads;
  responses: Responses;
}

const MAX_PAGES = 10;
/** The preview is gone or can't be edited any more: post a new message instead. */
const NOT_EDITABLE = new Set([
  "message_not_found",
  "cant_update_message",
  "edit_window_closed",
  "message_not_owned_by_app",
  "is_inactive",
]);

const NOT_A_MEMBER = new Set(["not_in_channel", "channel_not_found"]);

export class Sender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async sendPart(
    message: OutboundMessage,
    part: SlackPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    try {
      const ts = await ("files" in part
        ? this.#upload(message, part.files, context, signal)
        : this.#sendText(message, part, context, signal));
      if (context.index === context.count - 1) this.#rememberThread(message.target);
      return ts === "" ? [] : [ts];
    } catch (error) {
      throw toSendError(error);
    }
  }

  async #sendText(
    message: OutboundMessage,
    part: TextPart,
    { index, replaces }: PartContext,
    signal: AbortSignal,
  ): Promise<string> {
    const edited = replaces === undefined ? undefined : await this.#replace(message, replaces, part, signal);
    return edited ?? (await this.#postOrRespond(message, part, index, signal));
  }

  async #upload(
    message: OutboundMessage,
    wanted: readonly OutboundFile[],
    { index }: PartContext,
    signal: AbortSignal,
  ): Promise<string> {
    const { text, files } = await this.#locate(wanted);
    if (files.length === 0) return await this.#post(message, { text }, index, signal);
    return await upload(this.#parts, destinationOf(message.target), { text, files }, signal);
  }

  /** Our copies, with a note about those that have been cleaned up. */
  async #locate(wanted: readonly OutboundFile[]) {
    const { home = "" } = this.#parts.settings.media ?? {};
    const { text, files } = await filesToSend({ text: "", files: wanted }, home);
    return { text: render(text)[0]?.text ?? "", files };
  }

  #rememberThread({ chatId, threadId, userId }: Target): void {
    if (!chatId || !threadId) return;
    this.#parts.threads.joined(chatId, threadId);
    if (userId) this.#parts.threads.visited(chatId, userId, threadId);
  }

  /** Edits the message with the buttons, which disappear. One that is gone needs no edit. */
  async settleQuestion(
    target: Target,
    messageIds: readonly string[],
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    const ts = messageIds.at(-1);
    if (!isTs(ts)) return;
    try {
      const args = { channel: destinationOf(target).channel, ts, ...editBody(lastPart(text)) };
      await this.#parts.api.call("chat.update", args, { signal });
    } catch (error) {
      if (!NOT_EDITABLE.has(slackCode(error) ?? "")) throw asNeverSent(error);
    }
  }

  /** A part counts as missing only when it can't be in flight any more. */
  async lookUp(
    message: OutboundMessage,
    part: SlackPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    const find = async () => {
      const found = await this.#find(message, part, context, signal);
      if (found !== undefined) return found;
      await sleep(this.#parts.settings.timing.settleMs, undefined, { signal });
      return await this.#find(message, part, context, signal);
    };
    const found = await this.#ifAllowed(find(), null);
    if (found === null) return "unknown";
    return found === undefined ? "missing" : [found];
  }

  /** The preview of an answer that was never finished. */
  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    if (!isTs(target.replyTo)) return null;
    const find = async () =>
      (await this.#findUnfinished(target, signal)) ?? (await this.#findUnfinishedLater(target, signal));
    return await this.#ifAllowed(find(), null);
  }

  /** The post may still be in flight. */
  async #findUnfinishedLater(target: Target, signal: AbortSignal): Promise<string | null> {
    await sleep(this.#parts.settings.timing.settleMs, undefined, { signal });
    return await this.#findUnfinished(target, signal);
  }

  async #findUnfinished(target: Target, signal: AbortSignal): Promise<string | null> {
    const range = { ...destinationOf(target), oldest: target.replyTo! };
    for await (const page of pages(this.#parts.api, range, MAX_PAGES, signal)) {
      const found = page.find((post) => this.#isUnfinished(post, target));
      if (found?.ts) return streamId(found.ts);
    }
    return null;
  }

  /** Streams have no marker. They occur only in threads, where all our other posts have one. */
  #isUnfinished(post: SlackEvent, { threadId, replyTo }: Target): boolean {
    if (!this.#isOurs(post) || post.files || Number(post.ts) <= Number(replyTo)) return false;
    const { event_type: type, event_payload: payload } = post.metadata ?? {};
    return type === undefined ? threadId !== null : type === PREVIEW_TYPE && payload?.question === replyTo;
  }

  async #ifAllowed<T>(find: Promise<T>, otherwise: T): Promise<T> {
    try {
      return await find;
    } catch (error) {
      const code = slackCode(error);
      // Only the lookup failed: this attempt posted nothing.
      if (code !== "missing_scope" && code !== "not_in_channel" && code !== "channel_not_found")
        throw asNeverSent(error);
      this.#parts.settings.log(
        "warn",
        "The Slack app may not read the history after an uncertain send: the message may appear twice",
      );
      return otherwise;
    }
  }

  async #find(
    { target, nonce }: OutboundMessage,
    part: SlackPart,
    { index, sent }: PartContext,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    // Newer than the part before it, or than its question.
    const oldest = sent.at(-1) ?? target.replyTo;
    const range = { ...destinationOf(target), ...(isTs(oldest) ? { oldest } : {}) };
    // Files can't have a marker: compare names and sizes.
    const files = "files" in part ? (await this.#locate(part.files)).files : [];
    const isPart = (post: SlackEvent) =>
      files.length > 0 ? sameFiles(post, files) : hasMarker(post, nonce, index);
    for await (const page of pages(this.#parts.api, range, MAX_PAGES, signal)) {
      const found = page.find((post) => isTs(post.ts) && this.#isOurs(post) && isPart(post));
      if (found) return found.ts;
    }
    return undefined;
  }

  /** Other apps could post the same marker. */
  #isOurs({ user, bot_id: botId }: SlackEvent): boolean {
    const { identity } = this.#parts;
    return user === identity.userId || (identity.botId !== undefined && botId === identity.botId);
  }

  /** In a channel without the bot, the answer to a command goes to its response URL. */
  async #postOrRespond(
    message: OutboundMessage,
    part: TextPart,
    index: number,
    signal: AbortSignal,
  ): Promise<string> {
    try {
      return await this.#post(message, part, index, signal);
    } catch (error) {
      const { responses } = this.#parts;
      const isOutside = NOT_A_MEMBER.has(slackCode(error) ?? "");
      const url = isOutside ? await responses.urlFor(message.target.replyTo) : undefined;
      if (url === undefined) throw error;
      await responses.respond(url, part.listed ?? part.text, signal);
      return "";
    }
  }

  async #post(message: OutboundMessage, part: TextPart, index: number, signal: AbortSignal): Promise<string> {
    const args = {
      ...destinationOf(message.target),
      ...postBody(part),
      metadata: markerOf(message.nonce, index),
    };
    const { ts } = await this.#parts.api.call<{ ts: string }>("chat.postMessage", args, { signal });
    return ts;
  }

  /** Edits the preview into the answer. Repeating the edit is harmless, so an unknown outcome is retried. */
  async #replace(
    message: OutboundMessage,
    shownId: string,
    part: TextPart,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { channel } = destinationOf(message.target);
    try {
      const ts = await this.#parts.streams.settle(channel, shownId, signal);
      const args = { channel, ts, ...editBody(part), metadata: markerOf(message.nonce, 0) };
      await this.#parts.api.call("chat.update", args, { signal });
      return ts;
    } catch (error) {
      if (NOT_EDITABLE.has(slackCode(error) ?? "")) return undefined;
      throw asNeverSent(error);
    }
  }
}

function hasMarker({ metadata }: SlackEvent, nonce: string, index: number): boolean {
  const { event_type: type, event_payload: payload } = metadata ?? {};
  return type === MARKER_TYPE && payload?.nonce === nonce && payload.part === index;
}

function sameFiles(found: SlackEvent, files: readonly SendableFile[]): boolean {
  const key = (name: string | undefined, size: number | undefined) => `${name}:${size}`;
  const theirs = new Set((found.files ?? []).map((file) => key(file.name, file.size)));
  return files.every((file) => theirs.has(key(file.name, file.bytes)));
}

function asNeverSent(error: unknown): SendError {
  const failure = toSendError(error);
  if (failure.outcome !== "unknown") return failure;
  return new SendError("never_sent", failure.message, { scope: failure.scope, cause: error });
}
