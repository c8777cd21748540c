/** A webhook call → its messages with files and quotes, passed to the gateway. Resolves when the inbox has them. */
import { BoundedMap } from "../../bounded-map.js";
import type { InboundMessage } from "../../message.js";
import { SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import type { GraphApi } from "./api.js";
import type { Settings } from "./config.js";
import type { Incoming } from "./normalise.js";
import type { QuotedTexts } from "./quoted-texts.js";

export interface ReceiverParts {
  api: GraphApi;
  settings: Settings;
  events: AdapterEvents;
  texts: QuotedTexts;
  signal: AbortSignal;
}

const MAX_KNOWN = 2000;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;
  readonly #queue = new SerialQueue();
  /** Those that the inbox has: a repeated call is dropped there, and fetches no files. */
  readonly #known = new BoundedMap<string, true>(MAX_KNOWN);

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    const { media, timing, apiUrl } = parts.settings;
    if (!media) return;
    // Meta's file server is another host of theirs, and wants the token too.
    const isOwn = (url: URL) =>
      url.origin === new URL(apiUrl).origin ||
      (url.protocol === "https:" && /(?:^|\.)(?:facebook|fbsbx|whatsapp)\.(?:com|net)$/.test(url.hostname));
    this.#downloads = new MediaDownloads({ label: "WhatsApp", media, timeoutMs: timing.transferMs, isOwn });
  }

  receive(incoming: Incoming): Promise<void> {
    const { origin, eventId } = incoming.message;
    return this.#queue.add(origin.chatId!, async () => {
      const { signal, events, texts } = this.#parts;
      signal.throwIfAborted();
      const message = this.#known.has(eventId) ? incoming.message : await this.#complete(incoming);
      await events.receive(message);
      this.#known.set(eventId, true);
      texts.add(origin.chatId!, eventId, message.text);
    });
  }

  async #complete({ message, mediaId, quotes }: Incoming): Promise<InboundMessage> {
    const { api, texts, signal } = this.#parts;
    const text = quotes === undefined ? undefined : await texts.get(message.origin.chatId!, quotes);
    const whole = text === undefined ? message : { ...message, quoted: { text, messageId: quotes! } };
    if (mediaId === undefined || !this.#downloads) return whole;
    const locate = async (limit: AbortSignal) => ({
      url: await api.mediaUrl(mediaId, limit),
      headers: api.headers,
    });
    const [attachment] = message.attachments;
    const files = [{ attachment: attachment!, locate }];
    return { ...whole, attachments: await this.#downloads.fetchAll(message, files, signal) };
  }
}
