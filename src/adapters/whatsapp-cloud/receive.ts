/** A webhook call → its messages with files and quotes, passed to the gateway. Resolves when the inbox has them. */
import type { BoundedMap } from "../../bounded-map.js";
import type { InboundMessage } from "../../message.js";
import { SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import type { GraphApi } from "./api.js";
import type { Settings } from "./config.js";
import type { Incoming } from "./normalise.js";

export interface ReceiverParts {
  api: GraphApi;
  settings: Settings;
  events: AdapterEvents;
  /** Texts of recent messages: a reply names only the id of what it quotes. */
  texts: BoundedMap<string, string>;
  signal: AbortSignal;
}

const MAX_QUOTE = 2000;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;
  readonly #queue = new SerialQueue();

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
    const { origin } = incoming.message;
    return this.#queue.add(origin.chatId!, async () => {
      const { signal, events, texts } = this.#parts;
      signal.throwIfAborted();
      const message = await this.#complete(incoming);
      await events.receive(message);
      texts.set(origin.messageId!, message.text.slice(0, MAX_QUOTE));
    });
  }

  async #complete({ message, mediaId, quotes }: Incoming): Promise<InboundMessage> {
    const { api, texts, signal } = this.#parts;
    const text = quotes === undefined ? undefined : texts.get(quotes);
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
