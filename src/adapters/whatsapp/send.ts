/** One part of an answer → a message with an id of our own, the same for every attempt. One after the other. */
import { randomUUID } from "node:crypto";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { InboundMessage, OutboundFile, OutboundMessage, Target } from "../../message.js";
import { SerialQueue } from "../../serial-queue.js";
import { settlesWithin, unlessAborted } from "../../timeout.js";
import type { PartContext, ReactionState } from "../adapter.js";
import type { Settings } from "./config.js";
import { judgeAck, sendErrorOf } from "./faults.js";
import { chatOf, ownMessageId, readMessageName } from "./ids.js";
import type { Content, Link, WaKey, WaMessage } from "./port.js";
import { marked, REPEAT, renderTexts, type WhatsAppPart } from "./render.js";

export interface SenderParts {
  settings: Settings;
  /** Undefined while there is no connection. */
  link(): Link | undefined;
}

const MAX_REMEMBERED = 2000;
const MAX_QUOTE_CHARS = 1000;
const TYPING_EVERY_MS = 5000;
/** Larger pictures, films and sounds go out as documents. */
const MAX_SHOWN_BYTES = 16 * 1024 * 1024;
const EMOJI: Record<ReactionState, string> = { working: "👀", done: "✅", failed: "❌" };

export class Sender {
  readonly #parts: SenderParts;
  /** Sends one at a time: overlapping sends in Baileys have gone to the wrong chats. */
  readonly #queue = new SerialQueue<"send">();
  /** Ids of ours that WhatsApp or the other person has. */
  readonly #arrived = new BoundedMap<string, true>(MAX_REMEMBERED);
  readonly #waiting = new Map<string, () => void>();
  /** What answers may quote, by chat and name of the message. */
  readonly #quotable = new BoundedMap<string, WaMessage>(MAX_REMEMBERED);
  readonly #typedAtMs = new BoundedMap<string, number>(MAX_REMEMBERED);
  /** WhatsApp asked to wait until then. */
  #waitUntilMs = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async sendPart(
    { target, nonce }: OutboundMessage,
    part: WhatsAppPart,
    { index, mayBeRepeat }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const chat = chatOf(target.chatId);
    if (chat === undefined) throw new SendError("refused", "The message has no WhatsApp chat id");
    const id = ownMessageId(nonce, index);
    if (mayBeRepeat && (await this.#hasArrived(id, signal))) return [id];
    const quoted = this.#quotes(index) ? this.#quotable.get(nameIn(target)) : undefined;
    if ("text" in part) {
      const text = mayBeRepeat ? marked(part.text) : part.text;
      return [await this.#send(chat, { text }, { id, quoted }, signal)];
    }
    const note = ownMessageId(`${nonce}:note`, index);
    if (mayBeRepeat) await this.#send(chat, { text: REPEAT }, { id: note, quoted: undefined }, signal);
    return [await this.#send(chat, await this.#fileContent(part.file), { id, quoted }, signal)];
  }

  /** WhatsApp or the other person has this message of ours. */
  arrived(id: string): void {
    this.#arrived.set(id, true);
    this.#waiting.get(id)?.();
  }

  /** An answer quotes what it answers. */
  remember({ origin, text }: InboundMessage, { key }: WaMessage): void {
    const { remoteJid, fromMe, id, participant } = key;
    const name = nameIn({ chatId: origin.chatId, replyTo: origin.messageId ?? null });
    this.#quotable.set(name, {
      key: {
        remoteJid: remoteJid ?? null,
        fromMe: fromMe ?? false,
        id: id ?? null,
        participant: participant ?? null,
      },
      message: { conversation: text.slice(0, MAX_QUOTE_CHARS) },
    });
  }

  /** The author has deleted it: a quote would show it again. */
  forget(ref: { chatId: string; messageId: string }): void {
    this.#quotable.delete(nameIn({ chatId: ref.chatId, replyTo: ref.messageId }));
  }

  /** Failures are harmless. */
  type({ chatId }: Target): void {
    const chat = chatOf(chatId);
    const now = performance.now();
    if (chat === undefined || now - (this.#typedAtMs.get(chat) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS)
      return;
    this.#typedAtMs.set(chat, now);
    this.#parts
      .link()
      ?.composing(chat)
      .catch(() => this.#parts.settings.log("debug", "WhatsApp didn't take the typing indicator"));
  }

  async react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    const chat = chatOf(target.chatId);
    if (target.replyTo === null || chat === undefined) return;
    const { id, author } = readMessageName(target.replyTo);
    const known = this.#quotable.get(nameIn(target))?.key;
    const key: WaKey = known ?? { remoteJid: chat, fromMe: false, id, participant: author ?? null };
    const react = { text: state === null ? "" : EMOJI[state], key };
    const own = { id: ownMessageId(randomUUID(), 0), quoted: undefined };
    await unlessAborted(this.#send(chat, { react }, own, signal), signal);
  }

  #quotes(index: number): boolean {
    const { replyToMode } = this.#parts.settings;
    return replyToMode === "all" || (replyToMode === "first" && index === 0);
  }

  // ── one message ───────────────────────────────────────────────────────────────────────────────────────────────────

  #send(
    chat: string,
    content: Content,
    { id, quoted }: { id: string; quoted: WaMessage | undefined },
    signal: AbortSignal,
  ): Promise<string> {
    const { sendMs, uploadMs } = this.#parts.settings.timing;
    const timeoutMs = "text" in content || "react" in content ? sendMs : uploadMs;
    return this.#queue.add("send", async () => {
      const link = this.#ready(signal);
      try {
        judgeAck(await link.send(chat, content, { id, quoted, timeoutMs }));
        this.#arrived.set(id, true);
        return id;
      } catch (error) {
        const failure = sendErrorOf(error);
        if (failure.retryAfterMs !== undefined) this.#waitUntilMs = performance.now() + failure.retryAfterMs;
        throw failure;
      }
    });
  }

  /** Throws a SendError if nothing can be sent now. */
  #ready(signal: AbortSignal): Link {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const link = this.#parts.link();
    if (!link) throw new SendError("never_sent", "Not connected to WhatsApp", { scope: "account" });
    const waitMs = this.#waitUntilMs - performance.now();
    if (waitMs > 0) {
      const options = { retryAfterMs: Math.ceil(waitMs), scope: "account" } as const;
      throw new SendError("never_sent", "WhatsApp asks to wait", options);
    }
    return link;
  }

  /** Receipts of the time without a connection come soon after it is back. */
  async #hasArrived(id: string, signal: AbortSignal): Promise<boolean> {
    if (this.#arrived.has(id)) return true;
    const receipt = new Promise<void>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    await settlesWithin(unlessAborted(receipt, signal), this.#parts.settings.timing.settleMs);
    this.#waiting.delete(id);
    return this.#arrived.has(id);
  }

  async #fileContent(wanted: OutboundFile): Promise<Content> {
    const home = this.#parts.settings.media?.home ?? "";
    const { files, text } = await filesToSend({ text: "", files: [wanted] }, home);
    const [file] = files;
    return file ? contentOf(file) : { text: renderTexts(text)[0] ?? "" };
  }
}

function contentOf({ file, name, mimeType, bytes, as }: SendableFile): Content {
  const [kind] = mimeType.split("/", 1);
  const local = { url: file };
  const isShown = as !== "document" && bytes <= MAX_SHOWN_BYTES;
  if (isShown && (mimeType === "image/jpeg" || mimeType === "image/png")) return { image: local };
  if (isShown && mimeType === "video/mp4") return { video: local };
  if (isShown && kind === "audio") {
    const isVoice = as === "voice" && mimeType === "audio/ogg";
    return { audio: local, mimetype: isVoice ? "audio/ogg; codecs=opus" : mimeType, ptt: isVoice };
  }
  return { document: local, mimetype: mimeType, fileName: name };
}

function nameIn({ chatId, replyTo }: Pick<Target, "chatId" | "replyTo">): string {
  return `${chatId} ${replyTo}`;
}
