/** One part of an outbound message → an event with a transaction id and a mark, by which it is found later. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundFile, OutboundMessage, Target } from "../../message.js";
import type { LookedUp, PartContext } from "../adapter.js";
import { isRefusal, type MatrixApi, type MatrixEvent, roomPath, sendErrorOf, waitOf } from "./api.js";
import type { Settings } from "./config.js";
import { isEventId, isRoomId, isUserId, NONCE, PREVIEW, txnId } from "./ids.js";
import { relationOf, type Self } from "./normalise.js";
import { ENCRYPTED } from "./receive.js";
import { type Part, render, renderPreview } from "./render.js";
import type { Rooms } from "./rooms.js";

/** Text as rendered, or a file by the path of our copy. */
export type MatrixPart = Part | { file: OutboundFile };

export function partsOf({ text, files = [] }: OutboundMessage): MatrixPart[] {
  return [...render(text), ...files.map((file) => ({ file }))];
}

export interface SenderParts {
  api: MatrixApi;
  settings: Settings;
  rooms: Rooms;
  /** Undefined until the server has said who we are. */
  self(): Self | undefined;
}

const PAGE = 100;
const MAX_PAGES = 10;
const TYPING_MS = 6000;
const TYPING_EVERY_MS = 3000;
const MAX_REMEMBERED = 1000;
/** Old clients show this of an edit. */
const MAX_FALLBACK = 1000;

type Content = Record<string, unknown>;

export class Sender {
  readonly #parts: SenderParts;
  readonly #typedAtMs = new BoundedMap<string, number>(MAX_REMEMBERED);
  /** The server rate limits us until then; an earlier call would extend the wait. */
  #waitUntilMs = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async sendPart(
    { target, nonce }: OutboundMessage,
    part: MatrixPart,
    { index, replaces }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    const roomId = await this.#ready(target, signal);
    const txn = txnId(nonce, index);
    const mark = { [NONCE]: txn };
    if (!("file" in part) && isEventId(replaces) && (await this.#exists(roomId, replaces, signal))) {
      await this.#put(roomId, editOf(replaces, { ...textOf(part), ...mark }), txn, signal, true);
      return [replaces];
    }
    const own = "file" in part ? await this.#fileContent(part.file, signal) : textOf(part);
    const content = { ...own, ...mark, ...this.#relation(target, index), ...this.#mentions(target, index) };
    const id = await this.#put(roomId, content, txn, signal);
    this.#parts.rooms.joined(target.threadId);
    return [id];
  }

  // ── content ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** In a thread, old clients show the answer as a reply; elsewhere it is one, as configured. */
  #relation({ threadId, replyTo }: Target, index: number): Content {
    const quoted = isEventId(replyTo) ? replyTo : undefined;
    if (isEventId(threadId)) {
      const last = { "m.in_reply_to": { event_id: quoted ?? threadId } };
      return { "m.relates_to": { rel_type: "m.thread", event_id: threadId, is_falling_back: true, ...last } };
    }
    const { replyToMode } = this.#parts.settings;
    if (quoted === undefined || replyToMode === "off" || (replyToMode === "first" && index > 0)) return {};
    return { "m.relates_to": { "m.in_reply_to": { event_id: quoted } } };
  }

  /** A model's text notifies no one; only the person who asked is notified. */
  #mentions({ chatType, userId }: Target, index: number): Content {
    const isAsker = chatType !== "dm" && index === 0 && isUserId(userId);
    return { "m.mentions": isAsker ? { user_ids: [userId] } : {} };
  }

  /** Nothing is visible before the event, so a failure here means never sent. */
  async #fileContent(file: OutboundFile, signal: AbortSignal): Promise<Content> {
    const { api, settings } = this.#parts;
    const found = await filesToSend({ text: "", files: [file] }, settings.media?.home ?? "");
    const [sendable] = found.files;
    if (!sendable) return textOf(render(found.text)[0]!);
    const blob = new Blob([new Uint8Array(await readFile(sendable.file))], { type: sendable.mimeType });
    const call = { signal, timeoutMs: settings.timing.uploadMs };
    const url = await this.#tried(() => api.upload(blob, sendable.name, call), true);
    return fileContentOf(sendable, url);
  }

  // ── calls ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  async #put(
    roomId: string,
    content: Content,
    txn: string,
    signal: AbortSignal,
    repeatable = false,
  ): Promise<string> {
    const path = `${roomPath(roomId)}/send/m.room.message/${encodeURIComponent(txn)}`;
    const send = () => this.#parts.api.call<{ event_id?: unknown }>("PUT", path, { body: content, signal });
    const { event_id: id } = await this.#tried(send, repeatable);
    if (typeof id !== "string")
      throw new SendError("unknown", "The homeserver's answer has no id of the event");
    return id;
  }

  #exists(roomId: string, eventId: string, signal: AbortSignal): Promise<boolean> {
    return this.#tried(
      async () => (await this.#parts.api.event(roomId, eventId, signal)) !== undefined,
      true,
    );
  }

  // ── previews, typing ───────────────────────────────────────────────────────────────────────────────────────────────

  async show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null> {
    const roomId = await this.#ready(target, signal);
    const part = renderPreview(text);
    if (!part) return messageId;
    const content = { ...textOf(part), [PREVIEW]: target.replyTo ?? "", "m.mentions": {} };
    if (messageId !== null) {
      await this.#put(roomId, editOf(messageId, content), randomUUID(), signal, true);
      return messageId;
    }
    await posting?.();
    return this.#put(roomId, { ...content, ...this.#relation(target, 0) }, randomUUID(), signal);
  }

  async abandon(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    const roomId = await this.#ready(target, signal);
    if (!(await this.#exists(roomId, messageId, signal)))
      throw new SendError("refused", "The unfinished answer is gone");
    const part = renderPreview(text);
    if (part)
      return void (await this.#put(roomId, editOf(messageId, textOf(part)), randomUUID(), signal, true));
    const path = `${roomPath(roomId)}/redact/${encodeURIComponent(messageId)}/${randomUUID()}`;
    await this.#tried(() => this.#parts.api.call("PUT", path, { body: {}, signal }), true);
  }

  /** Our event for that question that no later edit has finished. */
  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    const { replyTo } = target;
    if (replyTo === null) return null;
    const finished = new Set<unknown>();
    const found = await this.#find(target, replyTo, signal, ({ eventId, content }) => {
      const { rel_type: relation, event_id: edited } = relationOf(content);
      if (relation === "m.replace") {
        if (content[PREVIEW] === undefined) finished.add(edited);
        return undefined;
      }
      return content[PREVIEW] === replyTo && !finished.has(eventId) ? eventId : undefined;
    });
    return typeof found === "string" ? null : (found[0] ?? null);
  }

  async lookUp(
    { target, nonce }: OutboundMessage,
    { index, sent }: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    const txn = txnId(nonce, index);
    const anchor = sent.at(-1) ?? target.replyTo;
    return this.#find(target, anchor, signal, ({ eventId, content, unsigned }) => {
      if (content[NONCE] !== txn && unsigned.transaction_id !== txn) return undefined;
      const { rel_type: relation, event_id: edited } = relationOf(content);
      return relation === "m.replace" && isEventId(edited) ? edited : eventId;
    });
  }

  /** Among our events, newest first, back to the question or the part before it. */
  async #find(
    { chatId }: Target,
    anchor: string | null,
    signal: AbortSignal,
    idOf: (event: MatrixEvent) => string | undefined,
  ): Promise<LookedUp> {
    const self = this.#parts.self();
    if (!self || !isRoomId(chatId)) return "unknown";
    try {
      let from: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const { events, end } = await this.#parts.api.messages(chatId, { from, limit: PAGE }, signal);
        for (const event of events) {
          const id = event.sender === self.id ? idOf(event) : undefined;
          if (id !== undefined) return [id];
          if (event.eventId === anchor) return "missing";
        }
        if (end === undefined || events.length === 0) return "missing";
        from = end;
      }
      return "unknown";
    } catch (error) {
      if (isRefusal(error)) return "unknown";
      throw sendErrorOf(error, { repeatable: true });
    }
  }

  /** Failures are harmless. */
  type({ chatId }: Target): void {
    const now = performance.now();
    const self = this.#parts.self();
    if (!self || !isRoomId(chatId) || now < this.#waitUntilMs) return;
    if (now - (this.#typedAtMs.get(chatId) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS) return;
    this.#typedAtMs.set(chatId, now);
    const path = `${roomPath(chatId)}/typing/${encodeURIComponent(self.id)}`;
    const call = { body: { typing: true, timeout: TYPING_MS }, timeoutMs: TYPING_EVERY_MS };
    this.#parts.api.call("PUT", path, call).catch((error: unknown) => this.#remember(error));
  }

  // ── limits ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The room; throws a SendError where nothing can be sent now. Nothing readable goes into an encrypted room. */
  async #ready({ chatId }: Target, signal: AbortSignal): Promise<string> {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const self = this.#parts.self();
    if (!self) throw new SendError("never_sent", "Not connected to Matrix", { scope: "account" });
    if (!isRoomId(chatId)) throw new SendError("refused", "Not the id of a Matrix room");
    const waitMs = this.#waitUntilMs - performance.now();
    if (waitMs > 0) {
      const options = { retryAfterMs: Math.ceil(waitMs), scope: "account" } as const;
      throw new SendError("never_sent", "The homeserver asks to wait", options);
    }
    const { encrypted } = await this.#tried(() => this.#parts.rooms.find(chatId, self.id, signal), true);
    if (encrypted) throw new SendError("refused", `The room ${ENCRYPTED}`);
    return chatId;
  }

  async #tried<T>(call: () => Promise<T>, repeatable = false): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.#remember(error);
      throw sendErrorOf(error, { repeatable });
    }
  }

  #remember(error: unknown): void {
    const waitMs = waitOf(error);
    if (waitMs !== undefined) this.#waitUntilMs = performance.now() + waitMs;
  }
}

function textOf({ html, text }: Part): Content {
  return { msgtype: "m.text", body: text, format: "org.matrix.custom.html", formatted_body: html };
}

/** New clients read only the new content. Marks are outside too, where a list of events shows them. */
function editOf(eventId: string, { [NONCE]: nonce, [PREVIEW]: preview, ...content }: Content): Content {
  return {
    msgtype: "m.text",
    body: `* ${String(content.body).slice(0, MAX_FALLBACK)}`,
    ...(nonce === undefined ? {} : { [NONCE]: nonce }),
    ...(preview === undefined ? {} : { [PREVIEW]: preview }),
    "m.mentions": {},
    "m.new_content": content,
    "m.relates_to": { rel_type: "m.replace", event_id: eventId },
  };
}

const KINDS: Readonly<Record<string, string>> = { image: "m.image", audio: "m.audio", video: "m.video" };

function fileContentOf({ name, mimeType, bytes, as }: SendableFile, url: string): Content {
  const kind = as === "document" ? undefined : KINDS[mimeType.split("/", 1)[0]!];
  const voice = as === "voice" && kind === "m.audio" ? { "org.matrix.msc3245.voice": {} } : {};
  const info = { mimetype: mimeType, size: bytes };
  return { msgtype: kind ?? "m.file", body: name, filename: name, info, url, ...voice };
}
