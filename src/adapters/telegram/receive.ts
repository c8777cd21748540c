/** One update → normalised, its files downloaded, passed to the gateway. Resolves when the inbox has it. */
import type { CallbackQuery, Update } from "grammy/types";
import { nowSeconds } from "../../clock.js";
import type { InboundMessage } from "../../message.js";
import type { AdapterEvents } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { Settings } from "./config.js";
import { locateFile } from "./media.js";
import { type Normalised, normalise, type Self } from "./normalise.js";
import { normalisePress } from "./presses.js";

export interface ReceiverParts {
  api: TelegramApi;
  settings: Settings;
  events: AdapterEvents;
  self: () => Self;
  moved(from: string, to: string): void;
  signal: AbortSignal;
}

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#downloads = downloadsOf(parts.settings);
  }

  async receive(update: Update): Promise<void> {
    const passOn = await this.prepare(update);
    await passOn();
  }

  /** Downloads its files. The function it returns passes the update on, and resolves when the inbox has it. */
  async prepare(update: Update): Promise<() => Promise<void>> {
    const { callback_query: press } = update;
    if (press) return () => this.#press(press, update);
    const known = this.#readable(update, () => normalise(update, this.#parts.self()));
    if (!known) return async () => undefined;
    if (known.kind === "moved") return () => this.#move(known.from, known.to);
    if (known.kind === "edit") return () => this.#parts.events.edited(known.edit);
    const message = await this.#withFiles(known);
    return () => this.#parts.events.receive(message);
  }

  /** An update that can't be parsed would fail again next time: it is logged and skipped, so that it blocks nothing. */
  #readable<T>({ update_id: updateId }: Update, read: () => T | undefined): T | undefined {
    try {
      return read();
    } catch {
      const fields = { updateId };
      this.#parts.settings.log("warn", "Skipped an update from Telegram that can't be parsed", fields);
      return undefined;
    }
  }

  async #press(press: CallbackQuery, update: Update): Promise<void> {
    const message = this.#readable(update, () => normalisePress(press, this.#parts.self(), nowSeconds()));
    if (message) await this.#parts.events.receive(message);
    this.#acknowledge(press.id);
  }

  /** Ends the button's progress indicator. It also ends by itself, so a failure is harmless. */
  #acknowledge(pressId: string): void {
    const signal = asSignal(AbortSignal.timeout(this.#parts.settings.timing.callMs));
    this.#parts.api.call.answerCallbackQuery(pressId, {}, signal).catch(() => undefined);
  }

  async #move(from: string, to: string): Promise<void> {
    await this.#parts.events.chatMoved(from, to);
    this.#parts.moved(from, to);
  }

  async #withFiles({ message, files }: Normalised & { kind: "message" }): Promise<InboundMessage> {
    if (!this.#downloads || files.length === 0) return message;
    const { api, signal, settings } = this.#parts;
    const remote = files.map(({ attachment, fileId }) => ({
      attachment,
      locate: (limit: AbortSignal) => locateFile(fileId, api, settings, limit),
    }));
    return { ...message, attachments: await this.#downloads.fetchAll(message, remote, signal) };
  }
}

function downloadsOf({ media, apiUrl, timing }: Settings): MediaDownloads | undefined {
  if (!media) return undefined;
  const isOwn = (url: URL) => URL.canParse(apiUrl) && url.origin === new URL(apiUrl).origin;
  return new MediaDownloads({ label: "Telegram", media, timeoutMs: timing.downloadMs, isOwn });
}
