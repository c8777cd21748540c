/** An envelope → normalised, with its files → the inbox. One after another, as they came. */
import { MediaProblem } from "../../media/incoming.js";
import type { InboundMessage } from "../../message.js";
import { SerialQueue } from "../../serial-queue.js";
import type { AdapterEvents } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import { isRecord } from "../kit/rest.js";
import { retry } from "../kit/retry.js";
import type { SignalApi } from "./api.js";
import type { Settings } from "./config.js";
import { groupIdOf, parseMessageId } from "./ids.js";
import { type Normalised, normalise, type Self, type SignalFile } from "./normalise.js";
import { People } from "./people.js";

export interface ReceiverParts {
  api: SignalApi;
  settings: Settings;
  events: AdapterEvents;
  self(): Self;
  signal: AbortSignal;
  /** Called when the inbox stops or resumes accepting messages. */
  stuck(isStuck: boolean): void;
}

/** More than this isn't read from the stream before some are in the inbox. */
const MAX_WAITING = 1000;
const RECEIPT_TIMEOUT_MS = 5000;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;
  readonly #queue = new SerialQueue();
  readonly #people: People;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#people = new People(parts.events);
    const { media, timing } = parts.settings;
    this.#downloads =
      media && new MediaDownloads({ label: "Signal", media, timeoutMs: timing.filesMs, isOwn: () => false });
  }

  get isFull(): boolean {
    return this.#queue.pending >= MAX_WAITING;
  }

  /** Resolves when the inbox has it. signal-cli gives it only once, so it is kept until then. */
  take(event: unknown): Promise<void> {
    const known = this.#readable(event);
    if (!known) return Promise.resolve();
    return this.#queue.add(chatIdOf(known), () => this.#pass(known));
  }

  /** Resolves when the inbox has all that came. */
  idle(): Promise<void> {
    return this.#queue.idle();
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
    const message = await this.#persist(async () =>
      this.#withFiles(await this.#people.recognised(known.message), known.files),
    );
    await this.#persist(async () => events.receive(message, await this.#people.moved(message.origin)));
    this.#read(message);
  }

  /** Only for messages that are answered: a receipt reveals the bot. Failures are harmless. */
  #read(message: InboundMessage): void {
    const { api, settings } = this.#parts;
    const sent = parseMessageId(message.origin.messageId ?? null);
    if (!settings.sendReadReceipts || !settings.media || !sent) return;
    const receipt = { recipient: sent.author, targetTimestamp: [sent.timestamp], type: "read" };
    settings.media
      .mayFetch(message)
      .then((isWanted) => isWanted && api.rpc("sendReceipt", receipt, { timeoutMs: RECEIPT_TIMEOUT_MS }))
      .catch(() => undefined);
  }

  async #withFiles(message: InboundMessage, files: readonly SignalFile[]): Promise<InboundMessage> {
    if (!this.#downloads || files.length === 0 || this.#parts.signal.aborted) return message;
    const remote = files.map(({ id, attachment }) => ({
      attachment,
      locate: async (limit: AbortSignal) => ({ body: [await this.#fetch(id, message, limit)] }),
    }));
    return { ...message, attachments: await this.#downloads.fetchAll(message, remote, this.#parts.signal) };
  }

  async #fetch(id: string, { origin }: InboundMessage, signal: AbortSignal): Promise<Uint8Array> {
    const { api, settings } = this.#parts;
    if (id === "") throw new MediaProblem("signal-cli doesn't have the file");
    const groupId = groupIdOf(origin.chatId ?? "");
    const chat = groupId === undefined ? { recipient: origin.chatId } : { groupId };
    const call = { signal, timeoutMs: settings.timing.filesMs };
    const answer = await api.rpc("getAttachment", { id, ...chat }, call);
    const data = isRecord(answer) ? answer.data : answer;
    if (typeof data !== "string") throw new MediaProblem("signal-cli doesn't have the file any more");
    return Buffer.from(data, "base64");
  }

  /** Retries until it works. While the adapter stops, there is one attempt: what came last isn't given again. */
  async #persist<T>(work: () => Promise<T>): Promise<T> {
    const { settings, signal, stuck } = this.#parts;
    if (signal.aborted) return work();
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
