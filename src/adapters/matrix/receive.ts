/** What a sync brought → the inbox, in order; the token of the next sync is stored with the last message. */
import { BoundedMap } from "../../bounded-map.js";
import { MediaProblem } from "../../media/incoming.js";
import type { InboundMessage } from "../../message.js";
import type { AdapterEvents, Cursor } from "../adapter.js";
import type { HealthTracker } from "../kit/health.js";
import { MediaDownloads } from "../kit/media-download.js";
import { isRefusal, type MatrixApi, type MatrixEvent, roomPath } from "./api.js";
import type { Settings } from "./config.js";
import { CURSOR, parseMxc } from "./ids.js";
import { editedText, happeningOf, inboundOf, PLATFORM, repliedToId, rootOf, type Self } from "./normalise.js";
import type { Rooms } from "./rooms.js";
import type { Invitation, SyncNews } from "./sync.js";

export interface ReceiverParts {
  api: MatrixApi;
  settings: Settings;
  events: AdapterEvents;
  health: HealthTracker;
  rooms: Rooms;
  self: Self;
  signal: AbortSignal;
}

const MAX_NOTED = 1000;
const RECEIPT_TIMEOUT_MS = 5000;

export const ENCRYPTED = "is encrypted, and encrypted rooms aren't supported";

type Step = (cursor: Cursor | undefined) => Promise<void>;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;
  /** Encrypted rooms that were reported. */
  readonly #noted = new BoundedMap<string, true>(MAX_NOTED);

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#downloads = downloadsOf(parts.settings);
  }

  /** Resolves when the inbox has everything. Rejects if not: then the same sync is made again. */
  async take(news: SyncNews): Promise<void> {
    const { rooms, signal, events } = this.#parts;
    rooms.learnDirect(news.direct);
    for (const invitation of news.invitations) await this.#invited(invitation);
    const happened = news.rooms.flatMap(({ roomId, state, events: own }) => {
      for (const event of [...state, ...own]) rooms.changed(roomId, event);
      return own.map((event) => ({ roomId, event }));
    });
    const steps: Step[] = [];
    // Downloads of one sync run side by side; messages are passed on in order.
    const prepared = happened.map(({ roomId, event }) => this.#prepare(roomId, event));
    // Each is awaited below; this only keeps a second rejection from being unhandled.
    for (const one of prepared) one.catch(() => undefined);
    for (const one of prepared) steps.push(...((await one) ?? []));
    const cursor = { name: CURSOR, value: news.nextBatch };
    for (const [i, step] of steps.entries()) {
      if (signal.aborted) return;
      await step(i === steps.length - 1 ? cursor : undefined);
    }
    if (steps.length === 0 && !signal.aborted) await events.saveCursor(cursor);
  }

  /** Undefined if there is nothing to do. */
  async #prepare(roomId: string, event: MatrixEvent): Promise<Step[] | undefined> {
    const { self, rooms, events, settings } = this.#parts;
    if (event.sender.toLowerCase() === self.id.toLowerCase()) return void rooms.joined(rootOf(event));
    if (event.type === "m.room.encrypted") return void this.#encrypted(roomId);
    const happening = happeningOf(event);
    if (!happening) return undefined;
    const ref = { platform: PLATFORM, account: settings.account, chatId: roomId };
    if (happening.kind === "redaction")
      return [this.#then(() => events.deleted({ ...ref, messageId: happening.target }))];
    if (happening.kind === "edit") {
      if (!(await this.#isAuthor(roomId, event.sender, happening.target))) return undefined;
      const text = editedText(happening.body, { self, commands: settings.commands });
      return [this.#then(() => events.edited({ ...ref, messageId: happening.target, text }))];
    }
    const message = await this.#message(roomId, event);
    return [
      async (cursor) => {
        await events.receive(message, cursor);
        this.#read(message);
      },
    ];
  }

  /** A cursor that comes with something else than a message is saved behind it. */
  #then(work: () => Promise<void>): Step {
    return async (cursor) => {
      await work();
      if (cursor) await this.#parts.events.saveCursor(cursor);
    };
  }

  /** Servers pass on edits of other people's messages; they don't count. */
  async #isAuthor(roomId: string, sender: string, eventId: string): Promise<boolean> {
    const { api, signal } = this.#parts;
    return (await api.event(roomId, eventId, signal))?.sender === sender;
  }

  async #message(roomId: string, event: MatrixEvent): Promise<InboundMessage> {
    const { api, self, rooms, settings, signal } = this.#parts;
    const quotedId = repliedToId(event);
    const [room, thread, repliedTo] = await Promise.all([
      rooms.find(roomId, self.id, signal),
      rooms.threadOf(roomId, event, self.id, signal),
      quotedId === undefined ? undefined : api.event(roomId, quotedId, signal),
    ]);
    const userName = rooms.nameOf(event.sender);
    const message = inboundOf(event, { ...settings, self, roomId, room, userName, thread, repliedTo });
    const [attachment] = message.attachments;
    if (!this.#downloads || !attachment) return message;
    const file = { attachment, locate: () => locate(event, settings) };
    return { ...message, attachments: await this.#downloads.fetchAll(message, [file], signal) };
  }

  /** Only for messages that are answered: a receipt reveals the bot. */
  #read(message: InboundMessage): void {
    const { api, settings } = this.#parts;
    const { chatId, messageId } = message.origin;
    if (!settings.sendReadReceipts) return;
    const path = `${roomPath(chatId!)}/receipt/m.read/${encodeURIComponent(messageId!)}`;
    settings
      .isWanted(message)
      .then((isWanted) => isWanted && api.call("POST", path, { body: {}, timeoutMs: RECEIPT_TIMEOUT_MS }))
      .catch(() => undefined);
  }

  #encrypted(roomId: string): void {
    if (this.#noted.has(roomId)) return;
    this.#noted.set(roomId, true);
    this.#parts.health.issue(
      "encryption",
      `The Matrix room ${roomId} ${ENCRYPTED}: use a room without encryption`,
      "ok",
    );
  }

  // ── invitations ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Accepts those of people who may talk to the bot. Rejects if the server is unavailable right now. */
  async #invited({ roomId, from, isDirect, encrypted }: Invitation): Promise<void> {
    const { api, settings, self, rooms, signal } = this.#parts;
    if (encrypted) return this.#encrypted(roomId);
    if (!(await settings.isWanted(invitationOf(roomId, from, settings.account))))
      return settings.log("info", "left an invitation to a Matrix room open: the person isn't allowed", {
        roomId,
        from,
      });
    try {
      await api.call("POST", `/join/${encodeURIComponent(roomId)}`, { body: {}, signal });
      if (isDirect) await rooms.addDirect(self.id, from, roomId, signal);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      settings.log("warn", "an invitation to a Matrix room can't be accepted", { roomId });
    }
  }
}

/** An invitation is judged as a direct message of its author would be. */
function invitationOf(roomId: string, from: string, account: string): InboundMessage {
  return {
    ...{ platform: PLATFORM, account, eventId: `invite:${roomId}`, text: "hello", attachments: [] },
    origin: { platform: PLATFORM, chatType: "dm", chatId: roomId, userId: from },
    sentAt: Date.now() / 1000,
    ...{ mentioned: true, repliedToBot: false, threadWithBot: false, isBot: false, authenticated: false },
  };
}

function locate({ content }: MatrixEvent, { apiUrl, token }: Settings) {
  const file = parseMxc(content.url);
  if (!file) throw new MediaProblem("It is encrypted, or has no address");
  const path = `/_matrix/client/v1/media/download/${encodeURIComponent(file.server)}/${file.id}`;
  return { url: apiUrl + path, headers: { authorization: `Bearer ${token}` } };
}

function downloadsOf({ media, apiUrl, timing }: Settings): MediaDownloads | undefined {
  if (!media) return undefined;
  const isOwn = (url: URL) => url.origin === new URL(apiUrl).origin;
  return new MediaDownloads({ label: "Matrix", media, timeoutMs: timing.downloadMs, isOwn });
}
