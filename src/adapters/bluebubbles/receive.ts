/**
 * Messages from the Mac's database, in the order in which they came in. The server calls our webhook once and never again,
 * so a call only says that there is something new; the cursor is the row up to which everything is received.
 */
import { BoundedMap } from "../../bounded-map.js";
import { nowSeconds } from "../../clock.js";
import type { InboundMessage } from "../../message.js";
import type { AdapterEvents } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import type { BlueBubblesApi } from "./api.js";
import type { Chats } from "./chats.js";
import type { Settings } from "./config.js";
import type { Echoes } from "./echoes.js";
import { Names } from "./names.js";
import { editOf, inboundOf, isForGateway, type Message, readMessage, refOf } from "./normalise.js";

export interface ReceiverParts {
  api: BlueBubblesApi;
  settings: Settings;
  events: AdapterEvents;
  chats: Chats;
  echoes: Echoes;
  signal: AbortSignal;
}

const CURSOR = "row";
const PAGE = 200;
const MAX_PAGES = 50;
/** Lists are sorted by time, so the newest row is among the last few messages. */
const NEWEST = 20;
const MAX_KNOWN = 2000;

/** The message stays in the Mac's database. */
export class NotReceived extends Error {
  constructor(cause: unknown) {
    super("a message was not received", { cause });
  }
}

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;
  readonly #names: Names;
  /** When messages were last edited or retracted, as far as that is passed on. */
  readonly #changes = new BoundedMap<string, number>(MAX_KNOWN);
  #row: number | undefined;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#downloads = downloadsOf(parts.settings);
    this.#names = new Names(parts.api);
  }

  /** Receives what is new. Rejects if the server or the inbox fails; the next call begins there again. */
  async fill(): Promise<void> {
    const { signal } = this.#parts;
    let row = await this.#begin();
    for (const message of await this.#newMessages(row)) {
      signal.throwIfAborted();
      row = Math.max(row, message.row);
      await this.#take(message, row);
      this.#row = row;
    }
  }

  /** The first start skips older messages. The database of a new Mac counts from its start. */
  async #begin(): Promise<number> {
    if (this.#row !== undefined) return this.#row;
    const { events, settings } = this.#parts;
    const stored = Number((await events.cursor(CURSOR)) ?? Number.NaN);
    const newest = await this.#newestRow();
    const row =
      Number.isNaN(stored) || settings.catchUpMaxAgeSeconds === 0 ? newest : Math.min(stored, newest);
    if (row !== stored) await events.saveCursor({ name: CURSOR, value: String(row) });
    this.#row = row;
    return row;
  }

  async #newestRow(): Promise<number> {
    const { api, signal } = this.#parts;
    const found = await api.messages({ sort: "DESC", limit: NEWEST }, signal);
    return found.reduce(
      (most, { originalROWID: row }) => Math.max(most, typeof row === "number" ? row : 0),
      0,
    );
  }

  async #newMessages(afterRow: number): Promise<Message[]> {
    const { api, signal, settings } = this.#parts;
    const found = new Map<string, Message>();
    for (let page = 0; ; page++) {
      const query = { afterRow, sort: "ASC", limit: PAGE, offset: page * PAGE } as const;
      const values = await api.messages(query, signal);
      for (const value of values) {
        const message = readMessage(value);
        // Servers before 1.6 ignore the condition.
        if (message && message.row > afterRow) found.set(message.guid, message);
      }
      if (values.length < PAGE) break;
      if (page === MAX_PAGES) {
        settings.log("warn", "too many messages were missed: some are skipped");
        break;
      }
    }
    return [...found.values()].sort((a, b) => a.row - b.row);
  }

  async #take(message: Message, row: number): Promise<void> {
    const { events, echoes, chats } = this.#parts;
    chats.learn(message.chat);
    if (message.isFromMe) echoes.sawOwn(message);
    const cursor = { name: CURSOR, value: String(row) };
    try {
      if (!isForGateway(message) || this.#isTooOld(message) || echoes.isEcho(message))
        return await events.saveCursor(cursor);
      if (message.editedAtMs > 0) this.#changes.set(message.guid, message.editedAtMs);
      await events.receive(await this.#complete(message), cursor);
    } catch (cause) {
      throw new NotReceived(cause);
    }
  }

  #isTooOld({ createdAtMs }: Message): boolean {
    return createdAtMs / 1000 < nowSeconds() - this.#parts.settings.catchUpMaxAgeSeconds;
  }

  /** A call about a message that changed; most are about delivery and reading. */
  async changed(value: unknown): Promise<void> {
    const { events, settings } = this.#parts;
    const message = readMessage(value);
    if (!message || message.isFromMe || !message.isText) return;
    const changedAtMs = Math.max(message.editedAtMs, message.retractedAtMs);
    if (changedAtMs <= (this.#changes.get(message.guid) ?? 0)) return;
    if (message.retractedAtMs > 0) await events.deleted(refOf(message, settings.account));
    else await events.edited(editOf(message, settings.account));
    this.#changes.set(message.guid, changedAtMs);
  }

  async #complete(message: Message): Promise<InboundMessage> {
    const { settings, signal, api } = this.#parts;
    const [quoted, userName] = await Promise.all([
      this.#quoted(message),
      this.#names.of(message.sender!, signal),
    ]);
    const whole = inboundOf(message, { account: settings.account, userName, quoted });
    if (!this.#downloads || message.files.length === 0) return whole;
    const remote = message.files.map(({ guid, attachment }) => ({
      attachment,
      locate: () => ({ url: api.fileUrl(guid) }),
    }));
    return { ...whole, attachments: await this.#downloads.fetchAll(whole, remote, signal) };
  }

  async #quoted({ threadGuid }: Message): Promise<Message | undefined> {
    const { api, signal } = this.#parts;
    if (threadGuid === null) return undefined;
    // A reply to a message that is gone is a message all the same.
    return readMessage(await api.message(threadGuid, signal).catch(() => undefined));
  }
}

function downloadsOf({ media, apiUrl, timing }: Settings): MediaDownloads | undefined {
  if (!media) return undefined;
  const isOwn = (url: URL) => url.origin === new URL(apiUrl).origin;
  return new MediaDownloads({ label: "BlueBubbles", media, timeoutMs: timing.transferMs, isOwn });
}
