/** An envelope → normalised, with its files → the inbox. One after another, as they came. */
import { BoundedMap } from "../../bounded-map.js";
import { MediaProblem } from "../../media/incoming.js";
import type { InboundMessage } from "../../message.js";
import { SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents, Cursor } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import { isRecord } from "../kit/rest.js";
import { retry } from "../kit/retry.js";
import type { SignalApi } from "./api.js";
import type { Settings } from "./config.js";
import { chatCursor } from "./ids.js";
import { type Normalised, normalise, type Self, type SignalFile } from "./normalise.js";

export interface ReceiverParts {
  api: SignalApi;
  settings: Settings;
  events: AdapterEvents;
  self(): Self;
  signal: AbortSignal;
  /** The inbox doesn't accept messages, or does again. */
  stuck(isStuck: boolean): void;
}

const MAX_PEOPLE = 10_000;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;
  readonly #queue = new SerialQueue();
  /** A person's uuid → the chat with them. */
  readonly #chats = new BoundedMap<string, string>(MAX_PEOPLE);

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    const { media, timing } = parts.settings;
    this.#downloads =
      media && new MediaDownloads({ label: "Signal", media, timeoutMs: timing.filesMs, isOwn: () => false });
  }

  /** Resolves when the inbox has it. signal-cli gives it only once, so it is kept until then. */
  take(event: unknown): Promise<void> {
    const known = this.#readable(event);
    if (!known) return Promise.resolve();
    return this.#queue.add(chatIdOf(known), async () => {
      if (!this.#parts.signal.aborted) await this.#pass(known);
    });
  }

  #readable(event: unknown): Normalised | undefined {
    try {
      return normalise(event, this.#parts.self());
    } catch {
      this.#parts.settings.log("warn", "skipped an event from Signal that can't be parsed");
      return undefined;
    }
  }

  async #pass(known: Normalised): Promise<void> {
    const { events } = this.#parts;
    if (known.kind === "edit") return this.#persist(() => events.edited(known.edit));
    if (known.kind === "delete") return this.#persist(() => events.deleted(known.ref));
    const message = await this.#persist(() => this.#withFiles(known.message, known.files));
    await this.#persist(async () => events.receive(message, await this.#moved(message)));
  }

  /** A person who hides their number, or shows it again, gets a chat with another id: the conversation goes along. */
  async #moved({ origin }: InboundMessage): Promise<Cursor | undefined> {
    const { chatType, chatId, userIdAlt: uuid } = origin;
    if (chatType !== "dm" || !uuid || !chatId) return undefined;
    const { events } = this.#parts;
    const name = chatCursor(uuid);
    const before = this.#chats.get(uuid) ?? (await events.cursor(name));
    if (before !== undefined && before !== chatId) await events.chatMoved(before, chatId);
    this.#chats.set(uuid, chatId);
    return before === chatId ? undefined : { name, value: chatId };
  }

  async #withFiles(message: InboundMessage, files: readonly SignalFile[]): Promise<InboundMessage> {
    if (!this.#downloads || files.length === 0) return message;
    const remote = files.map(({ id, attachment }) => ({
      attachment,
      locate: async (limit: AbortSignal) => ({ body: [await this.#fetch(id, message, limit)] }),
    }));
    return { ...message, attachments: await this.#downloads.fetchAll(message, remote, this.#parts.signal) };
  }

  async #fetch(id: string, { origin }: InboundMessage, signal: AbortSignal): Promise<Uint8Array> {
    const { api, settings } = this.#parts;
    const chat =
      origin.chatType === "dm" ? { recipient: origin.chatId } : { groupId: origin.chatId?.slice(6) };
    const call = { signal, timeoutMs: settings.timing.filesMs };
    const answer = await api.rpc("getAttachment", { id, ...chat }, call);
    const data = isRecord(answer) ? answer.data : answer;
    if (typeof data !== "string") throw new MediaProblem("signal-cli doesn't have the file any more");
    return Buffer.from(data, "base64");
  }

  /** Retries until it works or the adapter stops. */
  async #persist<T>(work: () => Promise<T>): Promise<T> {
    const { settings, signal, stuck } = this.#parts;
    let hasFailed = false;
    const onFailure = () => {
      hasFailed = true;
      stuck(true);
      return undefined;
    };
    const value = await retry(work, { backoff: settings.timing.receiveRetry, signal, onFailure });
    if (hasFailed) stuck(false);
    return value;
  }
}

function chatIdOf(known: Normalised): string {
  if (known.kind === "message") return known.message.origin.chatId ?? "";
  return known.kind === "edit" ? known.edit.chatId : known.ref.chatId;
}
