/** One message → its files downloaded, passed to the gateway. Resolves when the inbox has it. */
import { BoundedMap } from "../../bounded-map.js";
import type { InboundMessage } from "../../message.js";
import { SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import type { TwilioApi } from "./api.js";
import type { Settings } from "./config.js";
import { attachmentOf, type Incoming } from "./normalise.js";

export interface ReceiverParts {
  api: TwilioApi;
  settings: Settings;
  events: AdapterEvents;
  signal: AbortSignal;
}

const MAX_KNOWN = 2000;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;
  /** In order per person, also when the webhook and the list bring messages at the same time. */
  readonly #queue = new SerialQueue();
  /** Those that the inbox has. */
  readonly #known = new BoundedMap<string, true>(MAX_KNOWN);

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#downloads = downloadsOf(parts.settings);
  }

  /** From the webhook. A copy is passed on too: the inbox drops it. */
  receive(incoming: Incoming): Promise<void> {
    const { chatId } = incoming.message.origin;
    return this.#queue.add(chatId!, async () => {
      this.#parts.signal.throwIfAborted();
      await this.#parts.events.receive(await this.#withFiles(incoming));
      this.#known.set(incoming.sid, true);
    });
  }

  /** From the list, which shows the same messages repeatedly. */
  async receiveNew(incoming: Incoming): Promise<void> {
    if (!this.#known.has(incoming.sid)) await this.receive(incoming);
  }

  async #withFiles(incoming: Incoming): Promise<InboundMessage> {
    const { message, files, sid } = incoming;
    const { api, signal } = this.#parts;
    if (files === 0) return message;
    const media = incoming.media.length > 0 ? incoming.media : await api.media(sid, signal);
    const attachments = media.map(({ contentType }) => attachmentOf(contentType));
    if (!this.#downloads) return { ...message, attachments };
    const remote = media.map(({ url }, i) => ({
      attachment: attachments[i]!,
      locate: () => ({ url, headers: api.headers }),
    }));
    return { ...message, attachments: await this.#downloads.fetchAll(message, remote, signal) };
  }
}

/** Twilio sends the download on to a file server elsewhere, which gets no credentials. */
function downloadsOf({ media, apiUrl, timing }: Settings): MediaDownloads | undefined {
  if (!media) return undefined;
  const isOwn = (url: URL) => URL.canParse(apiUrl) && url.origin === new URL(apiUrl).origin;
  const limits = { timeoutMs: timing.downloadMs, maxRedirects: 2, allowPublic: true };
  return new MediaDownloads({ label: "Twilio", media, isOwn, ...limits });
}
