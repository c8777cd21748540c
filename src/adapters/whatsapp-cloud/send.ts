/** One part of an answer → a message of WhatsApp's. A status with its name proves that an interrupted send arrived. */
import { openAsBlob } from "node:fs";
import { pause } from "../../backoff.js";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundMessage, Target } from "../../message.js";
import type { PartContext, ReactionState } from "../adapter.js";
import type { GraphApi } from "./api.js";
import type { Arrivals } from "./arrivals.js";
import { interactiveOf } from "./choices.js";
import type { Settings } from "./config.js";
import { sendErrorOf } from "./faults.js";
import { isMessageId, isWaId, partName } from "./ids.js";
import type { QuotedTexts } from "./quoted-texts.js";
import { marked, REPEAT, type TextPart, type WhatsAppPart } from "./render.js";

export interface SenderParts {
  api: GraphApi;
  settings: Settings;
  texts: QuotedTexts;
  arrivals: Arrivals;
}

const LOOK_MS = 50;
/** The sign disappears after 25 seconds. */
const TYPING_MS = 20_000;
const MAX_TYPING = 1000;
const EMOJI: Readonly<Record<ReactionState, string>> = { working: "👀", done: "✅", failed: "❌" };

export class Sender {
  readonly #parts: SenderParts;
  readonly #typedAtMs = new BoundedMap<string, number>(MAX_TYPING);

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
    const to = numberOf(target);
    const name = partName(nonce, index);
    const known = mayBeRepeat ? await this.#status(name, signal) : undefined;
    if (known !== undefined) return [known];
    const quote = this.#quote(target, index);
    const head = { recipient_type: "individual", to, ...quote, biz_opaque_callback_data: name };
    const found = "file" in part ? await this.#locate(part) : part;
    if ("file" in found) return [await this.#postFile(head, found, mayBeRepeat, signal)];
    const ids: string[] = [];
    const texts = mayBeRepeat ? marked(found) : [found];
    for (const [i, text] of texts.entries()) {
      // The status of a note alone proves nothing.
      const own = i < texts.length - 1 ? { ...head, biz_opaque_callback_data: `${name}.note` } : head;
      ids.push(await this.#post(own, to, text, signal));
    }
    return ids;
  }

  #quote({ replyTo }: Target, index: number): object {
    const { replyToMode } = this.#parts.settings;
    const wanted = replyToMode === "all" || (replyToMode === "first" && index === 0);
    return wanted && isMessageId(replyTo) ? { context: { message_id: replyTo } } : {};
  }

  /** Meta repeats a status until we take it, so it may come a little after a restart. Silence proves nothing. */
  async #status(name: string, signal: AbortSignal): Promise<string | undefined> {
    const { arrivals, settings } = this.#parts;
    const until = performance.now() + settings.timing.settleMs;
    while (arrivals.get(name) === undefined && performance.now() < until && !signal.aborted)
      await pause(LOOK_MS, signal);
    return arrivals.get(name);
  }

  async #post(head: object, to: string, { text, rows }: TextPart, signal: AbortSignal): Promise<string> {
    const content = rows
      ? { type: "interactive", interactive: interactiveOf(text, rows) }
      : { type: "text", text: { body: text, preview_url: false } };
    const id = await this.#send({ ...head, ...content }, signal);
    this.#parts.texts.add(to, id, text);
    return id;
  }

  /** Our copy of a file, or a note if it has been cleaned up. */
  async #locate(part: Extract<WhatsAppPart, { file: object }>): Promise<SendableFile | { text: string }> {
    const home = this.#parts.settings.media?.home ?? "";
    const { text, files } = await filesToSend({ text: "", files: [part.file] }, home);
    return files[0] ?? { text };
  }

  async #postFile(
    head: object,
    file: SendableFile,
    mayBeRepeat: boolean,
    signal: AbortSignal,
  ): Promise<string> {
    const id = await this.#upload(file, signal);
    const type = kindFor(file);
    const caption = mayBeRepeat && type !== "audio" ? { caption: REPEAT } : {};
    const name = type === "document" ? { filename: file.name } : {};
    return this.#send({ ...head, type, [type]: { id, ...caption, ...name } }, signal);
  }

  /** Nothing is visible before the message, so a failure here means never sent. */
  async #upload({ file, mimeType, name }: SendableFile, signal: AbortSignal): Promise<string> {
    try {
      return await this.#parts.api.upload(await openAsBlob(file, { type: mimeType }), name, signal);
    } catch (error) {
      throw sendErrorOf(error, { repeatable: true });
    }
  }

  async #send(body: object, signal: AbortSignal): Promise<string> {
    try {
      return await this.#parts.api.send(body, signal);
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  /** Also shows the message as read. Failures are harmless: Meta refuses it for old messages. */
  type({ replyTo }: Target, signal: AbortSignal): void {
    const now = performance.now();
    if (!isMessageId(replyTo)) return;
    if (now - (this.#typedAtMs.get(replyTo) ?? Number.NEGATIVE_INFINITY) < TYPING_MS) return;
    this.#typedAtMs.set(replyTo, now);
    this.#parts.api.type(replyTo, signal).catch(() => {
      this.#typedAtMs.delete(replyTo);
    });
  }

  async react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    const { replyTo: message_id } = target;
    if (!isMessageId(message_id)) return;
    const reaction = { message_id, emoji: state === null ? "" : EMOJI[state] };
    await this.#send(
      { recipient_type: "individual", to: numberOf(target), type: "reaction", reaction },
      signal,
    );
  }
}

function numberOf({ chatId }: Target): string {
  if (!isWaId(chatId)) throw new SendError("refused", "The message has no WhatsApp number");
  return chatId;
}

const MB = 1024 * 1024;

/** Anything else, and what is too large for its kind, goes as a document. */
function kindFor({ mimeType, bytes, as }: SendableFile): "image" | "video" | "audio" | "document" {
  if (as === "document") return "document";
  if (/^image\/(?:jpeg|png)$/.test(mimeType) && bytes <= 5 * MB) return "image";
  if (/^video\/(?:mp4|3gpp)$/.test(mimeType) && bytes <= 16 * MB) return "video";
  if (/^audio\/(?:aac|mp4|mpeg|amr|ogg)$/.test(mimeType) && bytes <= 16 * MB) return "audio";
  return "document";
}
