/** Implements the port with Baileys: one socket, its login, and its events in our types. */
import { chmod, mkdir } from "node:fs/promises";
import { BoundedMap } from "../../bounded-map.js";
import { withTimeout } from "../../timeout.js";
import { statusOf } from "./faults.js";
import { personOf } from "./ids.js";
import type { Baileys, BaileysEvents, BaileysSocket, Creds } from "./library.js";
import type {
  Ack,
  Content,
  Disconnect,
  Link,
  LinkEvents,
  OpenLink,
  Self,
  SendOptions,
  WaKey,
  WaMessage,
} from "./port.js";

export interface LinkOptions {
  library: Baileys;
  /** The link's keys: anyone who has them controls the account. */
  folder: string;
  /** Digits only. */
  number: string;
  linkWith: "code" | "qr";
  /** In place of WhatsApp's own. */
  url: string | null;
  keepAliveMs: number;
  /** Queries that are no messages. */
  callMs: number;
  /** What Baileys could not store. */
  complain(problem: string): void;
}

/** Baileys logs keys and texts of messages. */
const SILENT = {
  level: "silent",
  child: () => SILENT,
  ...Object.fromEntries(["trace", "debug", "info", "warn", "error"].map((level) => [level, () => undefined])),
};

const MAX_SENT = 1000;
/** WhatsApp's server has it; higher ones are for the other person. */
const STATUS_SERVER = 2;
/** The whole history of an account: group messages need the other kinds of history, but not this one. */
const HISTORY_FULL = 2;

export function openBaileys(options: LinkOptions): OpenLink {
  /** For devices that could not decrypt a message and ask for it again. */
  const sent = new BoundedMap<string, unknown>(MAX_SENT);
  return (events, signal) => open(options, sent, events, signal);
}

async function open(
  options: LinkOptions,
  sent: BoundedMap<string, unknown>,
  events: LinkEvents,
  signal: AbortSignal,
): Promise<Link> {
  const { library, folder, url, keepAliveMs, callMs } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const { state, saveCreds } = await library.useMultiFileAuthState(folder);
  forgetHalfPairing(state.creds);
  signal.throwIfAborted();
  const socket = library.makeWASocket({
    auth: state,
    logger: SILENT,
    emitOwnEvents: false,
    markOnlineOnConnect: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: ({ syncType }: { syncType?: number }) => syncType !== HISTORY_FULL,
    // An empty message in place of an unknown one would be shown to the other person.
    getMessage: async ({ id }: WaKey) => sent.get(id ?? ""),
    keepAliveIntervalMs: keepAliveMs,
    connectTimeoutMs: callMs,
    defaultQueryTimeoutMs: callMs,
    ...(url === null ? {} : { waWebSocketUrl: url }),
  });
  const link = new BaileysLink(socket, state.creds, options, sent, events);
  link.keep(saveCreds);
  const abort = () => void link.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const first = await Promise.race([link.opened, link.closed]);
    signal.throwIfAborted();
    if (first !== undefined) throw first;
    return link;
  } catch (error) {
    await link.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Baileys would log in with an account that was never linked. */
function forgetHalfPairing(creds: Creds): void {
  if (creds.account !== undefined && creds.account !== null) return;
  creds.me = undefined;
  creds.pairingCode = undefined;
}

class BaileysLink implements Link {
  readonly #socket: BaileysSocket;
  readonly #creds: Creds;
  readonly #options: LinkOptions;
  readonly #sent: BoundedMap<string, unknown>;
  readonly #events: LinkEvents;
  #saving: Promise<void> = Promise.resolve();
  #hasAskedForCode = false;
  #isLoggedIn = false;
  #open = () => {};
  #end: (reason: Disconnect) => void = () => {};
  /** Logged in, or waiting to be linked. */
  readonly opened = new Promise<undefined>((resolve) => {
    this.#open = () => resolve(undefined);
  });
  readonly closed = new Promise<Disconnect>((resolve) => {
    this.#end = resolve;
  });

  constructor(
    socket: BaileysSocket,
    creds: Creds,
    options: LinkOptions,
    sent: BoundedMap<string, unknown>,
    events: LinkEvents,
  ) {
    this.#socket = socket;
    this.#creds = creds;
    this.#options = options;
    this.#sent = sent;
    this.#events = events;
    socket.ws.on("frame", () => events.heard());
    socket.ev.on("connection.update", (update) => this.#updated(update));
    socket.ev.on("messages.upsert", ({ messages }) => {
      const self = this.#identity;
      if (self) for (const message of messages) events.message(message, self);
    });
    socket.ev.on("messages.update", (updates) => {
      for (const { key, update } of updates) if ((update.status ?? 0) >= STATUS_SERVER) this.#arrived(key);
    });
    socket.ev.on("message-receipt.update", (receipts) => {
      for (const { key } of receipts) this.#arrived(key);
    });
  }

  /** One write after the other, so that the last one is the newest. */
  keep(saveCreds: () => Promise<void>): void {
    const complain = () => this.#options.complain("The keys of the link to WhatsApp can't be stored");
    this.#socket.ev.on("creds.update", () => {
      this.#saving = this.#saving.then(saveCreds).catch(complain);
    });
  }

  get self(): Self | undefined {
    return this.#isLoggedIn ? this.#identity : undefined;
  }

  /** Also includes accounts known before this login. */
  get #identity(): Self | undefined {
    const number = personOf(this.#creds.me?.id);
    return number === undefined ? undefined : { number, lid: personOf(this.#creds.me?.lid) };
  }

  async send(chat: string, content: Content, { id, quoted, timeoutMs }: SendOptions): Promise<Ack> {
    // A connection that breaks now leaves it open whether the message arrived, so its error tells nothing.
    const answer = this.#socket.waitForMessage(id, timeoutMs).catch(() => undefined);
    const sending = this.#socket.sendMessage(chat, content, {
      messageId: id,
      ...(quoted ? { quoted } : {}),
    });
    const gone = this.closed.then((closed) => ({ closed }));
    const message = await withTimeout(Promise.race([sending, gone]), timeoutMs);
    if (message && "closed" in message) return message;
    if (message?.message) this.#sent.set(id, message.message);
    const frame = await Promise.race([answer, gone]);
    if (frame === undefined || "closed" in frame) return frame;
    const error = frame.attrs?.error;
    return error === undefined ? {} : { error };
  }

  composing(chat: string): Promise<void> {
    return withTimeout(this.#socket.sendPresenceUpdate("composing", chat), this.#options.callMs);
  }

  read(key: WaKey): Promise<void> {
    return withTimeout(this.#socket.readMessages([key]), this.#options.callMs);
  }

  async groupName(group: string): Promise<string | null> {
    const { subject } = await withTimeout(this.#socket.groupMetadata(group), this.#options.callMs);
    return subject || null;
  }

  download(message: WaMessage): Promise<AsyncIterable<Uint8Array>> {
    const context = {
      logger: SILENT,
      reuploadRequest: (gone: WaMessage) => this.#socket.updateMediaMessage(gone),
    };
    return this.#options.library.downloadMediaMessage(message, "stream", {}, context);
  }

  /** Never rejects. Afterwards the keys are stored. */
  async close(): Promise<void> {
    try {
      await this.#socket.end(undefined);
    } catch {
      // It was closed already, or is no more than a broken socket now.
    }
    this.#end({ code: undefined, reason: "the connection was closed" });
    await this.#saving;
  }

  #updated({ connection, qr, lastDisconnect }: BaileysEvents["connection.update"]): void {
    if (qr !== undefined) this.#askToPair(qr);
    if (connection === "open") {
      this.#isLoggedIn = true;
      this.#open();
    }
    if (connection === "close") this.#end(disconnectOf(lastDisconnect?.error));
  }

  #askToPair(qr: string): void {
    const { linkWith, number } = this.#options;
    const tell = (pairing: Parameters<LinkEvents["pairing"]>[0]) => {
      this.#events.pairing(pairing);
      this.#open();
    };
    if (linkWith === "qr") tell({ qr });
    if (linkWith === "qr" || this.#hasAskedForCode) return;
    this.#hasAskedForCode = true;
    withTimeout(this.#socket.requestPairingCode(number), this.#options.callMs).then(
      (code) => tell({ code }),
      () => tell({ problem: "WhatsApp gives no code to link with now" }),
    );
  }

  #arrived({ id, fromMe }: WaKey): void {
    if (fromMe && id) this.#events.arrived(id);
  }
}

function disconnectOf(error: unknown): Disconnect {
  const code = statusOf(error);
  return { code, reason: code === undefined ? "the connection closed" : `it closed with code ${code}` };
}
