/** One part of an answer → a message of the Mac's; and how to find one whose send was interrupted. */
import { openAsBlob } from "node:fs";
import { pause } from "../../backoff.js";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundMessage, Target } from "../../message.js";
import type { LookedUp, PartContext } from "../adapter.js";
import { isRecord } from "../kit/rest.js";
import type { BlueBubblesApi } from "./api.js";
import type { Chats } from "./chats.js";
import type { Settings } from "./config.js";
import type { Echoes } from "./echoes.js";
import { sendErrorOf } from "./faults.js";
import { isAddress, isGroupGuid, isGuid, tempGuid } from "./ids.js";
import { type Message, readMessage } from "./normalise.js";
import { type BlueBubblesPart, marked } from "./render.js";

export interface SenderParts {
  api: BlueBubblesApi;
  settings: Settings;
  chats: Chats;
  echoes: Echoes;
  hasPrivateApi(): boolean;
}

const MAX_KNOWN = 2000;
const PAGE = 200;
const MAX_PAGES = 5;

export class Sender {
  readonly #parts: SenderParts;
  /** GUIDs of messages → the parts that they are: such a message is no other part. */
  readonly #names = new BoundedMap<string, string>(MAX_KNOWN);
  /** When a send without an answer ended. */
  readonly #doubts = new BoundedMap<string, number>(MAX_KNOWN);
  /** A send before it may have been interrupted by a crash just now. */
  readonly #bornAtMs = performance.now();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async sendPart(
    { target, nonce }: OutboundMessage,
    part: BlueBubblesPart,
    { index, mayBeRepeat }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const name = tempGuid(nonce, index);
    const found = "file" in part ? await this.#locate(part) : part;
    const chatGuid = await this.#chat(target, signal);
    const head = { tempGuid: name, ...this.#method(target, index) };
    try {
      if (!("file" in found)) {
        const text = mayBeRepeat ? marked(found.text) : found.text;
        return [this.#arrived(name, await this.#sendText(target, chatGuid, text, head, signal))];
      }
      if (chatGuid === undefined) throw noChat();
      return [this.#arrived(name, await this.#sendFile({ chatGuid, ...head }, found, signal))];
    } catch (error) {
      const failure = sendErrorOf(error);
      if (failure.outcome === "unknown") this.#doubts.set(name, performance.now());
      throw failure;
    }
  }

  async #chat(target: Target, signal: AbortSignal): Promise<string | undefined> {
    if (!isAddress(target.chatId) && !(isGuid(target.chatId) && isGroupGuid(target.chatId)))
      throw new SendError("refused", "The message has no iMessage chat id");
    try {
      return await this.#parts.chats.find(target, signal);
    } catch (error) {
      throw sendErrorOf(error, { repeatable: true });
    }
  }

  /** A reply is shown below its question, which only the Private API can do. */
  #method({ replyTo }: Target, index: number): object {
    const { settings, hasPrivateApi } = this.#parts;
    if (!hasPrivateApi()) return { method: "apple-script" };
    const { replyToMode } = settings;
    const quotes = replyToMode === "all" || (replyToMode === "first" && index === 0);
    const quote = quotes && isGuid(replyTo) ? { selectedMessageGuid: replyTo } : {};
    return { method: "private-api", ...quote };
  }

  async #sendText(
    { chatId }: Target,
    chatGuid: string | undefined,
    message: string,
    head: object,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { api, echoes, hasPrivateApi } = this.#parts;
    echoes.sending(message);
    if (chatGuid !== undefined) return api.sendText({ chatGuid, message, ...head }, signal);
    if (!hasPrivateApi()) throw noChat();
    const chat = await api.newChat({ addresses: [chatId], message, ...head }, signal);
    return isRecord(chat) && Array.isArray(chat.messages) ? chat.messages[0] : undefined;
  }

  async #sendFile(head: object, file: SendableFile, signal: AbortSignal): Promise<unknown> {
    const { api, hasPrivateApi } = this.#parts;
    const form = new FormData();
    for (const [name, value] of Object.entries(head)) form.set(name, String(value));
    form.set("name", file.name);
    if (file.as === "voice" && hasPrivateApi()) form.set("isAudioMessage", "true");
    form.set("attachment", await openAsBlob(file.file, { type: file.mimeType }), file.name);
    return api.sendFile(form, signal);
  }

  /** Our copy of a file, or a note if it has been cleaned up. */
  async #locate(part: Extract<BlueBubblesPart, { file: object }>): Promise<SendableFile | { text: string }> {
    const home = this.#parts.settings.media?.home ?? "";
    const { text, files } = await filesToSend({ text: "", files: [part.file] }, home);
    return files[0] ?? { text };
  }

  #arrived(name: string, sent: unknown): string {
    const guid = isRecord(sent) ? sent.guid : undefined;
    if (!isGuid(guid)) throw new TypeError("invalid json: the answer has no message");
    this.#names.set(guid, name);
    return guid;
  }

  // ── sends in doubt ────────────────────────────────────────────────────────────────────────────────────────────────

  /** The Mac's database has every message that was sent: ours is found by its text, after the message that it answers. */
  async lookUp(
    { target, nonce }: OutboundMessage,
    part: BlueBubblesPart,
    { index, sent }: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    const name = tempGuid(nonce, index);
    try {
      const chatGuid = await this.#parts.chats.find(target, signal);
      if (chatGuid === undefined) return "missing";
      const since = await this.#askedAtMs(target, signal);
      const isIt = (message: Message) =>
        !sent.includes(message.guid) &&
        (this.#names.get(message.guid) ?? name) === name &&
        isPart(message, part);
      const look = () => this.#search(chatGuid, since, isIt, signal);
      const found = await look();
      if (found !== "missing") return this.#found(name, found);
      // The Mac may be busy with it.
      await this.#settle(name, signal);
      return this.#found(name, await look());
    } catch (error) {
      const { outcome, message, retryAfterMs, scope } = sendErrorOf(error);
      if (outcome === "refused") return "unknown";
      throw new SendError("never_sent", message, { retryAfterMs, scope, cause: error });
    }
  }

  #found(name: string, found: LookedUp): LookedUp {
    if (Array.isArray(found)) this.#names.set(found[0], name);
    return found;
  }

  async #settle(name: string, signal: AbortSignal): Promise<void> {
    const doubtAtMs = this.#doubts.get(name) ?? this.#bornAtMs;
    await pause(Math.max(0, doubtAtMs + this.#parts.settings.timing.settleMs - performance.now()), signal);
  }

  /** Undefined: it answers nothing, or nothing that the Mac still has. */
  async #askedAtMs({ replyTo }: Target, signal: AbortSignal): Promise<number | undefined> {
    if (!isGuid(replyTo)) return undefined;
    return readMessage(await this.#parts.api.message(replyTo, signal))?.createdAtMs;
  }

  async #search(
    chatGuid: string,
    sinceMs: number | undefined,
    isIt: (message: Message) => boolean,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    const after = sinceMs === undefined ? {} : { after: sinceMs };
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = { chatGuid, ...after, sort: "DESC", limit: PAGE, offset: page * PAGE } as const;
      const found = await this.#parts.api.messages(query, signal);
      const hit = found.flatMap((value) => readMessage(value) ?? []).find(isIt);
      // Without a question before it, the same text may have been sent on another day.
      if (hit) return sinceMs === undefined ? "unknown" : [hit.guid];
      if (found.length < PAGE) return "missing";
    }
    return "unknown";
  }
}

function isPart({ isFromMe, text, files }: Message, part: BlueBubblesPart): boolean {
  if (!isFromMe) return false;
  if ("file" in part) return files.some(({ attachment }) => attachment.name === part.file.name);
  return text === part.text.trim() || text === marked(part.text).trim();
}

function noChat(): SendError {
  return new SendError(
    "refused",
    "The Mac has no chat with this person and can't start one without the Private API: write to them from the Messages app first",
  );
}
