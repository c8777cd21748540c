/** One update → its files fetched, handed to the gateway. Resolves when the gateway has it. */
import type { Update } from "grammy/types";
import { NOT_FETCHED } from "../../media/incoming.js";
import type { Attachment } from "../../message.js";
import type { AdapterEvents } from "../adapter.js";
import type { TelegramApi } from "./api.js";
import type { Settings } from "./config.js";
import type { RemoteFile } from "./files.js";
import { Downloads } from "./media.js";
import { type Normalised, normalise, type Self } from "./normalise.js";

export interface IntakeParts {
  api: TelegramApi;
  settings: Settings;
  events: AdapterEvents;
  self: () => Self;
  moved(from: string, to: string): void;
  signal: AbortSignal;
}

export class Intake {
  readonly #parts: IntakeParts;
  readonly #downloads: Downloads | undefined;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    const { settings } = parts;
    this.#downloads = settings.media ? new Downloads(settings, settings.media) : undefined;
  }

  async take(update: Update): Promise<void> {
    const handOn = await this.prepare(update);
    await handOn();
  }

  /** Fetches its files. What it gives hands the update on, and resolves when the gateway has it. */
  async prepare(update: Update): Promise<() => Promise<void>> {
    const known = this.#understood(update);
    if (!known) return async () => undefined;
    if (known.kind === "moved") return () => this.#move(known.from, known.to);
    if (known.kind === "edit") return () => this.#parts.events.edited(known.edit);
    const message = await this.#withFiles(known);
    return () => this.#parts.events.receive(message);
  }

  /** What can't be understood will not be understood next time either: it is reported, and must not block the rest. */
  #understood(update: Update): Normalised | undefined {
    try {
      return normalise(update, this.#parts.self());
    } catch {
      const fields = { updateId: update.update_id };
      this.#parts.settings.log(
        "warn",
        "An update from Telegram has a shape that nobody knows: skipped",
        fields,
      );
      return undefined;
    }
  }

  async #move(from: string, to: string): Promise<void> {
    await this.#parts.events.chatMoved(from, to);
    this.#parts.moved(from, to);
  }

  async #withFiles({ message, files }: Normalised & { kind: "message" }) {
    if (!this.#downloads || files.length === 0) return message;
    const { api, signal, settings } = this.#parts;
    if (!(await settings.media?.mayFetch(message))) return { ...message, attachments: files.map(notFetched) };
    const fetched = files.map((file) => this.#downloads!.fetch(file, api, signal));
    return { ...message, attachments: await Promise.all(fetched) };
  }
}

function notFetched({ attachment }: RemoteFile): Attachment {
  return { ...attachment, problem: NOT_FETCHED };
}
