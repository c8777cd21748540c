/** A message → normalised, with its file → the inbox. In order within each chat. */
import { BoundedMap } from "../../bounded-map.js";
import { nowSeconds } from "../../clock.js";
import { MediaProblem } from "../../media/incoming.js";
import type { InboundMessage } from "../../message.js";
import { QueueFullError, SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import { retry } from "../kit/retry.js";
import type { Settings } from "./config.js";
import { type Happening, normalise } from "./normalise.js";
import type { Link, Self, WaMessage } from "./port.js";

export interface ReceiverParts {
  settings: Settings;
  events: AdapterEvents;
  link(): Link | undefined;
  signal: AbortSignal;
  /** Called when the inbox stops or resumes accepting messages. */
  stuck(isStuck: boolean): void;
  /** For quotes in answers. */
  remember(message: InboundMessage, original: WaMessage): void;
}

type Said = Extract<Happening, { kind: "said" }>;

const MAX_GROUPS = 2000;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;
  readonly #queue = new SerialQueue();
  readonly #groupNames = new BoundedMap<string, string | null>(MAX_GROUPS);

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#downloads = downloadsOf(parts.settings);
  }

  /** WhatsApp won't deliver it again, so it is kept until the inbox has it. Never rejects. */
  async take(original: WaMessage, self: Self): Promise<void> {
    const { settings, signal } = this.#parts;
    try {
      await this.#queue.add(original.key.remoteJid ?? "", async () => {
        if (signal.aborted) return;
        const { account, mode } = settings;
        const happening = normalise(original, { account, mode, self, nowSeconds: nowSeconds() });
        if (happening) await this.#pass(happening, original);
      });
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof QueueFullError ? "too many are waiting" : "it can't be read";
      settings.log("error", `A message from WhatsApp was dropped: ${why}`);
    }
  }

  async #pass(happening: Happening, original: WaMessage): Promise<void> {
    const { events } = this.#parts;
    if (happening.kind === "changed") return this.#persist(() => events.edited(happening.edit));
    if (happening.kind === "removed") return this.#persist(() => events.deleted(happening.ref));
    const message = await this.#completed(happening, original);
    this.#parts.remember(message, original);
    await this.#persist(() => events.receive(message));
    await this.#markRead(message, original);
  }

  /** Retries until it works or the adapter stops. */
  async #persist(work: () => Promise<void>): Promise<void> {
    const { settings, signal, stuck } = this.#parts;
    let hasFailed = false;
    const onFailure = () => {
      hasFailed = true;
      stuck(true);
      return undefined;
    };
    await retry(work, { backoff: settings.timing.receiveRetry, signal, onFailure });
    if (hasFailed) stuck(false);
  }

  async #completed({ message, group, hasFile }: Said, original: WaMessage): Promise<InboundMessage> {
    const chatName = group === undefined ? null : await this.#nameOf(group);
    const named = chatName === null ? message : { ...message, origin: { ...message.origin, chatName } };
    if (!hasFile || !this.#downloads) return named;
    const file = { attachment: named.attachments[0]!, locate: () => this.#locate(original) };
    const attachments = await this.#downloads.fetchAll(named, [file], this.#parts.signal);
    return { ...named, attachments };
  }

  async #locate(original: WaMessage) {
    const link = this.#parts.link();
    if (!link) throw new MediaProblem("WhatsApp wasn't connected");
    return { body: await link.download(original) };
  }

  /** A message without its group's name is better than none. */
  async #nameOf(group: string): Promise<string | null> {
    const known = this.#groupNames.get(group);
    if (known !== undefined) return known;
    // A failed lookup isn't remembered: the next message tries again.
    const name = await this.#parts
      .link()
      ?.groupName(group)
      .catch(() => undefined);
    if (name !== undefined) this.#groupNames.set(group, name);
    return name ?? null;
  }

  /** Strangers don't learn that someone reads here. Failures are harmless. */
  async #markRead(message: InboundMessage, { key }: WaMessage): Promise<void> {
    const { settings, link } = this.#parts;
    const { sendReadReceipts, media, log } = settings;
    if (!sendReadReceipts || key.fromMe || !(await media?.mayFetch(message))) return;
    await link()
      ?.read(key)
      .catch(() => log("debug", "A message from WhatsApp could not be marked as read"));
  }
}

function downloadsOf({ media, timing }: Settings): MediaDownloads | undefined {
  if (!media) return undefined;
  return new MediaDownloads({
    label: "WhatsApp",
    media,
    timeoutMs: timing.downloadMs,
    isOwn: () => false,
  });
}
