/** One part of an answer → a message of WhatsApp's. A status with its name proves that an interrupted send arrived. */
import { openAsBlob } from "node:fs";
import { pause } from "../../backoff.js";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundMessage } from "../../message.js";
import type { PartContext } from "../adapter.js";
import type { GraphApi } from "./api.js";
import type { Settings } from "./config.js";
import { sendErrorOf } from "./faults.js";
import { isMessageId, isWaId, partName } from "./ids.js";
import type { Status } from "./normalise.js";
import { marked, REPEAT, type WhatsAppPart } from "./render.js";

const MAX_KNOWN = 5000;
const LOOK_MS = 50;

export class Sender {
  readonly #api: GraphApi;
  readonly #settings: Settings;
  readonly #texts: BoundedMap<string, string>;
  readonly #arrived = new BoundedMap<string, string>(MAX_KNOWN);

  constructor(api: GraphApi, settings: Settings, texts: BoundedMap<string, string>) {
    this.#api = api;
    this.#settings = settings;
    this.#texts = texts;
  }

  noticed({ name, id, status }: Status): void {
    if (name !== undefined && status !== "failed") this.#arrived.set(name, id);
  }

  async sendPart(
    { target, nonce }: OutboundMessage,
    part: WhatsAppPart,
    { index, mayBeRepeat }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (signal.aborted) throw new SendError("never_sent", "There was no time left to send it");
    const to = target.chatId;
    if (!isWaId(to)) throw new SendError("refused", "The message names no WhatsApp number");
    const name = partName(nonce, index);
    const known = mayBeRepeat ? await this.#status(name, signal) : undefined;
    if (known !== undefined) return [known];
    const quote =
      index === 0 && isMessageId(target.replyTo) ? { context: { message_id: target.replyTo } } : {};
    const head = { recipient_type: "individual", to, ...quote, biz_opaque_callback_data: name };
    try {
      return await this.#post(head, part, mayBeRepeat, signal);
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  /** Meta repeats a status until we take it, so it may come a little after a restart. Silence proves nothing. */
  async #status(name: string, signal: AbortSignal): Promise<string | undefined> {
    const until = performance.now() + this.#settings.timing.settleMs;
    while (!this.#arrived.has(name) && performance.now() < until && !signal.aborted)
      await pause(LOOK_MS, signal);
    return this.#arrived.get(name);
  }

  async #post(
    head: object,
    part: WhatsAppPart,
    mayBeRepeat: boolean,
    signal: AbortSignal,
  ): Promise<string[]> {
    const found = "file" in part ? await this.#locate(part) : part;
    if ("file" in found) return [await this.#postFile(head, found, mayBeRepeat, signal)];
    const ids: string[] = [];
    for (const text of mayBeRepeat ? marked(found.text) : [found.text]) {
      const id = await this.#api.send(
        { ...head, type: "text", text: { body: text, preview_url: false } },
        signal,
      );
      this.#texts.set(id, text.slice(0, 2000));
      ids.push(id);
    }
    return ids;
  }

  /** Our copy of a file, or a note if it was cleaned up meanwhile. */
  async #locate(part: Extract<WhatsAppPart, { file: object }>): Promise<SendableFile | { text: string }> {
    const { text, files } = await filesToSend(
      { text: "", files: [part.file] },
      this.#settings.media?.home ?? "",
    );
    return files[0] ?? { text };
  }

  async #postFile(
    head: object,
    file: SendableFile,
    mayBeRepeat: boolean,
    signal: AbortSignal,
  ): Promise<string> {
    const blob = await openAsBlob(file.file, { type: file.mimeType });
    const id = await this.#api.upload(blob, file.name, signal);
    const type = kindFor(file);
    const caption = mayBeRepeat && type !== "audio" ? { caption: REPEAT } : {};
    const name = type === "document" ? { filename: file.name } : {};
    return this.#api.send({ ...head, type, [type]: { id, ...caption, ...name } }, signal);
  }
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
