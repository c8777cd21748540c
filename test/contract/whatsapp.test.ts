import path from "node:path";
import type { Adapter } from "../../src/adapters/adapter.js";
import { whatsappAdapter } from "../../src/adapters/whatsapp/index.js";
import { writeLink } from "../adapters/whatsapp/support.js";
import { type Chat, type Key, LIBRARY, type Person, WhatsAppEmulator } from "../emulators/whatsapp/index.js";
import { tempDir } from "../support/temp.js";
import { adapterContract } from "./adapter.js";
import { never, type OpenOptions, type Place, type Platform, type Stage } from "./stage.js";

class WhatsAppStage implements Stage {
  readonly #emulator: WhatsAppEmulator;
  readonly #hasty: boolean;
  readonly #home = tempDir();
  readonly #places = new Map<string, Place>();
  readonly #adapters: Adapter[] = [];
  readonly log: string[] = [];
  readonly secrets: readonly string[];

  constructor(emulator: WhatsAppEmulator, { hasty }: OpenOptions) {
    this.#emulator = emulator;
    this.#hasty = hasty;
    this.secrets = [emulator.account];
    writeLink(this.#folder, emulator.account);
    const ann = emulator.person("Ann");
    const group = emulator.group("Garden");
    const number = `${ann.number}@s.whatsapp.net`;
    const who = { userId: number, userIdAlt: `${ann.lid}@lid`, userName: "Ann" };
    this.#add("direct chat", { with: ann }, ann, { chatType: "dm", chatId: number, ...who });
    this.#add("group", { group }, ann, { chatType: "group", chatId: group.jid, chatName: "Garden", ...who });
  }

  get #folder(): string {
    return path.join(this.#home, "session");
  }

  #add(kind: string, chat: Chat, ann: Person, origin: Place["origin"]): void {
    const emulator = this.#emulator;
    let last: Key | undefined;
    this.#places.set(kind, {
      origin,
      say: (text) => {
        last = emulator.say(chat, ann, text);
      },
      seen: () => emulator.said(chat).map(({ id, text }) => ({ id, text, replyTo: null })),
      edit: (text) => emulator.edit(chat, ann, last!, text),
      remove: () => emulator.remove(chat, ann, last!),
    });
  }

  place(kind: string): Place {
    return this.#places.get(kind)!;
  }

  adapter(): Adapter {
    const limitMs = this.#hasty ? 300 : 3000;
    const adapter = whatsappAdapter({
      phoneNumber: "15550000001",
      ...{ home: this.#home, folder: this.#folder, mode: "bot" },
      ...{ library: LIBRARY, apiUrl: this.#emulator.url },
      log: (level, message, fields = {}) => this.log.push(`${level}: ${message} ${JSON.stringify(fields)}`),
      timing: {
        ...{ callMs: limitMs, sendMs: limitMs, openMs: limitMs },
        keepAliveMs: this.#hasty ? 60 : 2000,
        backoff: { firstMs: 20, maxMs: 200 },
        receiveRetry: { firstMs: 10, maxMs: 100 },
        settleMs: 3000,
      },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  listeners = () => this.#emulator.connections;
  requests = () => this.#emulator.logins;
  posts = () => this.#emulator.posts;
  acknowledged = () => this.#emulator.deliveries.waiting === 0;
  typing = () => this.#emulator.typing.length;
  reactions = () => this.#emulator.reactions();
  pick = never;
  menu = never;
  previews = never;

  repeat(): void {
    this.#emulator.duplicate = true;
  }

  babble(): void {
    const emulator = this.#emulator;
    const ann = emulator.person("Ann");
    const key = { remoteJid: `${ann.number}@s.whatsapp.net`, fromMe: false, id: "X" };
    for (const message of [
      null,
      7,
      {},
      { conversation: 7 },
      { conversation: "" },
      { newKindMessage: { text: "?" } },
    ])
      emulator.write({ with: ann }, ann, message as object);
    for (const remoteJid of ["status@broadcast", "123@newsletter", "nonsense", null, undefined])
      emulator.raw({ key: { ...key, remoteJid }, message: { conversation: "?" } });
    for (const id of [null, 7, "", "x".repeat(1000)])
      emulator.raw({ key: { ...key, id }, message: { conversation: "?" } });
    for (const message of [null, 7, {}, { key: null }, { key: 7 }]) emulator.raw(message);
    emulator.raw({ key: { ...key, fromMe: true }, message: { conversation: "?" } });
    emulator.raw({ key, message: { protocolMessage: { type: 14 } } });
    emulator.raw({ key, message: { reactionMessage: { text: "+", key } } });
  }

  refuse = () => this.#emulator.failSend({ kind: "error", code: "463" });
  limit = () => this.#emulator.failSend({ kind: "error", code: "429" });
  drop = () => this.#emulator.failSend({ kind: "cut_after" });
  stall = () => this.#emulator.failSend({ kind: "delay", ms: 900 });
  goDown = () => this.#emulator.close();

  async comeBack(): Promise<void> {
    await this.#emulator.start();
  }

  fallSilent(): void {
    this.#emulator.silent = true;
  }

  speakAgain(): void {
    this.#emulator.silent = false;
  }

  startSlowly(): void {
    this.#emulator.slowLoginMs = 300;
  }

  revokeToken(): void {
    this.#emulator.unlink();
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    await this.#emulator.close();
  }
}

const whatsapp: Platform = {
  name: "whatsapp",
  kinds: ["direct chat", "group"],
  can: ["type", "react"],
  lacks: {
    acknowledgement: "Baileys acknowledges a message before it passes it on",
    quotes: "a quote carries the quoted text itself, so one of a deleted message still shows it",
    limits: "WhatsApp names no time to wait",
  },
  open: async (options) => new WhatsAppStage(await new WhatsAppEmulator().start(), options),
};

adapterContract(whatsapp);
