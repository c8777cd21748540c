/**
 * WhatsApp on this machine, for the library beside this file: people, chats, one linked device. It keeps a message for the
 * device until the library acknowledges it, which the library does before the gateway has the message, so a crash in between
 * loses it. A message that is sent again under the same id is shown again: whether the real one does is unknown.
 */
import { fileURLToPath } from "node:url";
import { type WebSocket, WebSocketServer } from "ws";
import { type RestAnswer, RestServer } from "../rest-server.js";
import { Deliveries } from "./deliveries.js";

export const LIBRARY = fileURLToPath(new URL("library.mjs", import.meta.url));

export interface Person {
  number: string;
  lid: string;
  name: string;
}

export interface Group {
  jid: string;
  name: string;
}

export type Chat = { with: Person } | { group: Group } | { self: true };

export interface Key {
  remoteJid: string;
  fromMe: boolean;
  id: string;
  participant?: string;
  remoteJidAlt?: string;
  participantAlt?: string;
}

export interface SentContent {
  text?: string;
  react?: { text: string; key: Key };
  image?: { bytes: string };
  audio?: { bytes: string };
  document?: { bytes: string };
  fileName?: string;
  mimetype?: string;
  ptt?: boolean;
}

/** What the device has written. */
export interface Sent {
  id: string;
  jid: string;
  content: SentContent;
  text: string;
  quoted: string | null;
  atMs: number;
}

export type SendFault =
  | { kind: "error"; code: string }
  | { kind: "cut_before" }
  | { kind: "cut_after" }
  | { kind: "delay"; ms: number };

export interface EmulatorOptions {
  /** The owner enters every code at once. */
  autoLink?: boolean;
}

export const SELF = { number: "15550000001@s.whatsapp.net", lid: "900000000000001@lid" };
export class WhatsAppEmulator {
  /** Proves that a device is linked. */
  account = "linked-device-secret";
  readonly server = new RestServer(({ path }) => this.#file(path));
  readonly sent: Sent[] = [];
  readonly typing: string[] = [];
  readonly read: Key[] = [];
  readonly codes: string[] = [];
  /** Each delivery comes twice. */
  duplicate = false;
  /** Frames get no answer. */
  silent = false;
  /** The next login takes so long. */
  slowLoginMs = 0;
  logins = 0;
  posts = 0;
  /** When connections ended in the middle of a send. */
  readonly cutsAtMs: number[] = [];
  readonly #options: EmulatorOptions;
  readonly #sockets = new Set<WebSocket>();
  readonly #files = new Map<string, Buffer>();
  #faults: SendFault[] = [];
  readonly deliveries = new Deliveries((frame) => this.#push(frame));
  #ids = 0;
  #device: WebSocket | undefined;
  #groups = new Map<string, Group>();

  constructor(options: EmulatorOptions = {}) {
    this.#options = options;
    const sockets = new WebSocketServer({ noServer: true });
    this.server.http.on("upgrade", (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (client) => this.#welcome(client));
    });
  }

  get url(): string {
    return this.server.url.replace("http", "ws");
  }

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  async close(): Promise<void> {
    this.cut();
    await this.server.stop();
  }

  get connections(): number {
    return this.#sockets.size;
  }

  cut(): void {
    for (const socket of this.#sockets) this.#gone(socket);
  }

  /** The owner unlinks the device on the phone. */
  unlink(): void {
    this.account = "another-secret";
    for (const socket of this.#sockets) {
      send(socket, { op: "end", code: 401 });
      socket.close();
    }
  }

  /** WhatsApp asks the device to connect again. */
  restart(code = 515): void {
    for (const socket of this.#sockets) send(socket, { op: "end", code });
  }

  failSend(fault: SendFault): void {
    this.#faults.push(fault);
  }

  get armed(): number {
    return this.#faults.length;
  }

  clearFaults(): void {
    this.#faults = [];
  }

  // ── people ────────────────────────────────────────────────────────────────────────────────────────────────────────

  person(name: string): Person {
    this.#ids += 1;
    return {
      name,
      number: `1555111${String(this.#ids).padStart(4, "0")}`,
      lid: `2${String(this.#ids).padStart(14, "0")}`,
    };
  }

  group(name: string): Group {
    this.#ids += 1;
    const group = { name, jid: `1203630000000${String(this.#ids).padStart(5, "0")}@g.us` };
    this.#groups.set(group.jid, group);
    return group;
  }

  /** In a group the bot is mentioned. Gives the key of the message. */
  say(chat: Chat, from: Person | "self", text: string, context: object = {}): Key {
    const mentions = "group" in chat && from !== "self" ? { mentionedJid: [SELF.lid] } : {};
    const contextInfo = { ...mentions, ...context };
    return this.write(chat, from, { extendedTextMessage: { text, contextInfo } });
  }

  write(chat: Chat, from: Person | "self", message: object, more: object = {}): Key {
    this.#ids += 1;
    const key = keyOf(chat, from, `MSG${this.#ids}`);
    const name = from === "self" ? "Owner" : from.name;
    const sent = { key, message, messageTimestamp: Math.floor(Date.now() / 1000), pushName: name, ...more };
    const alias = from === "self" ? {} : { alias: [from.number, from.lid] };
    this.deliveries.add({ op: "message", message: sent, ...alias }, key.id);
    return key;
  }

  edit(chat: Chat, from: Person | "self", target: Key, text: string): void {
    const protocolMessage = { key: target, type: 14, editedMessage: { conversation: text } };
    this.write(chat, from, { editedMessage: { message: { protocolMessage } } });
  }

  remove(chat: Chat, from: Person | "self", target: Key): void {
    this.write(chat, from, { protocolMessage: { key: target, type: 0 } });
  }

  /** A file that the library downloads. */
  upload(name: string, content: Buffer): string {
    this.#files.set(`/files/${name}`, content);
    return `${this.server.url}/files/${name}`;
  }

  /** What the device has written there, oldest first. */
  said(chat: Chat): Sent[] {
    const jids = jidsOf(chat);
    return this.sent.filter(({ jid, content }) => jids.includes(jid) && !content.react);
  }

  reactions(): string[] {
    const last = new Map<string, string>();
    for (const { content } of this.sent)
      if (content.react) last.set(content.react.key.id, content.react.text);
    return [...last.values()].filter((text) => text !== "");
  }

  /** Of messages that are lost because the library acknowledged them too early. */
  droppedTokens(): readonly string[] {
    return this.deliveries.lostTokens((token) => this.sent.some(({ text }) => text.includes(token)));
  }

  /** For tests of unknown and broken events. */
  raw(message: unknown): void {
    this.deliveries.add({ op: "message", message });
  }

  #push(frame: object): void {
    if (!this.#device || this.silent) return;
    for (let copies = this.duplicate ? 2 : 1; copies > 0; copies--) send(this.#device, frame);
  }

  #gone(socket: WebSocket): void {
    if (!this.#sockets.delete(socket)) return;
    socket.terminate();
    if (this.#device === socket) this.#device = undefined;
    this.deliveries.gone(socket);
  }

  // ── the device ────────────────────────────────────────────────────────────────────────────────────────────────────

  #welcome(socket: WebSocket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#gone(socket));
    socket.on("error", () => this.#gone(socket));
    socket.on("message", (data) => {
      if (!this.silent) this.#take(socket, JSON.parse(String(data)));
    });
  }

  #take(socket: WebSocket, frame: Record<string, unknown>): void {
    switch (frame.op) {
      case "login":
        setTimeout(() => this.#login(socket, frame.account), this.slowLoginMs);
        this.slowLoginMs = 0;
        return;
      case "code":
        this.codes.push(String(frame.number));
        if (this.#options.autoLink) this.link();
        return;
      case "paired":
        send(socket, { op: "end", code: 515 });
        return;
      case "received":
        this.deliveries.acknowledged(Number(frame.number), socket);
        return;
      case "ping":
        send(socket, { op: "pong" });
        return;
      case "presence":
        this.typing.push(String(frame.jid));
        return;
      case "read":
        this.read.push(...(frame.keys as Key[]));
        this.deliveries.read((frame.keys as Key[]).map(({ id }) => id));
        return;
      case "group":
        send(socket, { attrs: { id: frame.id, subject: this.#groups.get(String(frame.jid))?.name } });
        return;
      case "send":
        void this.#post(socket, frame);
    }
  }

  /** The owner enters the code, or scans it. */
  link(): void {
    for (const socket of this.#sockets) send(socket, { op: "paired", account: this.account, me: me() });
  }

  #login(socket: WebSocket, account: unknown): void {
    this.logins += 1;
    if (account === null) {
      send(socket, { op: "pair", ref: `2@${this.logins},key` });
      return;
    }
    if (account !== this.account) {
      send(socket, { op: "end", code: 401 });
      socket.close();
      return;
    }
    this.#device = socket;
    send(socket, { op: "success", me: me() });
    this.deliveries.again();
    send(socket, { op: "offline done" });
  }

  async #post(socket: WebSocket, { id, jid, content, quoted }: Record<string, unknown>): Promise<void> {
    const sent = content as SentContent;
    if (!sent.react) this.posts += 1;
    const fault = sent.react ? undefined : this.#faults.shift();
    if (fault?.kind === "cut_before") return this.#gone(socket);
    if (fault?.kind === "error") return send(socket, { attrs: { id, error: fault.code } });
    if (fault?.kind === "delay") await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const quote = (quoted as Key | undefined)?.id ?? null;
    this.sent.push({
      ...{ id: String(id), jid: String(jid), content: sent, quoted: quote, atMs: Date.now() },
      text: sent.text ?? "",
    });
    if (fault?.kind.startsWith("cut")) this.cutsAtMs.push(Date.now());
    if (fault?.kind === "cut_after") this.#gone(socket);
    else send(socket, { attrs: { id } });
    const key = { remoteJid: jid, fromMe: true, id };
    this.deliveries.add({ op: "receipt", key, isGroup: String(jid).endsWith("@g.us") });
  }

  #file(path: string): RestAnswer {
    const content = this.#files.get(path);
    return content ? { status: 200, body: content } : { status: 404 };
  }
}

function send(socket: WebSocket, frame: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}

function me() {
  return { id: SELF.number.replace("@", ":7@"), lid: SELF.lid.replace("@", ":7@") };
}

/** Direct chats come under the lid, with the number beside it, as they do since 2025. */
function keyOf(chat: Chat, from: Person | "self", id: string): Key {
  const fromMe = from === "self";
  if ("group" in chat) {
    const author = from === "self" ? { participant: SELF.lid } : authorOf(from);
    return { remoteJid: chat.group.jid, fromMe, id, ...author };
  }
  if ("self" in chat) return { remoteJid: SELF.number, fromMe, id };
  const { lid, number } = chat.with;
  return { remoteJid: `${lid}@lid`, remoteJidAlt: `${number}@s.whatsapp.net`, fromMe, id };
}

function authorOf({ lid, number }: Person) {
  return { participant: `${lid}@lid`, participantAlt: `${number}@s.whatsapp.net` };
}

function jidsOf(chat: Chat): string[] {
  if ("group" in chat) return [chat.group.jid];
  if ("self" in chat) return [SELF.number];
  return [`${chat.with.number}@s.whatsapp.net`, `${chat.with.lid}@lid`];
}
