/**
 * The functions of Baileys that the gateway uses, on an emulated WhatsApp in place of the real one: JSON frames over a
 * WebSocket. As Baileys does, it acknowledges a message before anyone sees it, gives what came during an absence in one
 * go, resolves a send when it is written, and answers for it with a frame of the same id.
 */
import { EventEmitter } from "node:events";
import fs from "node:fs/promises";
import path from "node:path";
import { WebSocket } from "ws";

export async function useMultiFileAuthState(folder) {
  const file = path.join(folder, "creds.json");
  const creds = await fs.readFile(file, "utf8").then(JSON.parse, () => ({}));
  const keys = {
    set: (name, value) => fs.writeFile(path.join(folder, `${name}.json`), JSON.stringify(value)),
  };
  // A crash in the middle of a write must not leave half a file: the real one is as careless, but is restarted less often.
  const saveCreds = async () => {
    await fs.writeFile(`${file}.new`, JSON.stringify(creds));
    await fs.rename(`${file}.new`, file);
  };
  return { state: { creds, keys }, saveCreds };
}

export function makeWASocket(config) {
  return new FakeSocket(config);
}

export async function downloadMediaMessage(message) {
  const content = Object.values(message.message).find((part) => part?.url);
  const response = await fetch(content.url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.body;
}

class Boom extends Error {
  constructor(message, statusCode) {
    super(message);
    this.output = { statusCode };
  }
}

class FakeSocket {
  ev = new EventEmitter();
  ws = new EventEmitter();
  #config;
  #socket;
  #isClosed = false;
  #keepAlive;
  /** Events of the absence, until all are there. */
  #late = [];
  #done = Promise.resolve();
  #lastFrameAt = performance.now();

  constructor(config) {
    this.#config = config;
    this.ws.setMaxListeners(0);
    this.#socket = new WebSocket(config.waWebSocketUrl);
    this.#socket.on("open", () => this.#send({ op: "login", account: this.#creds.account ?? null }));
    this.#socket.on("message", (data) => this.#take(JSON.parse(String(data))));
    this.#socket.on("close", () => this.end(new Boom("Connection Terminated", 428)));
    this.#socket.on("error", () => this.end(new Boom("WebSocket Error", 408)));
    const { keepAliveIntervalMs } = config;
    this.#keepAlive = setInterval(() => {
      if (performance.now() - this.#lastFrameAt > 1.2 * keepAliveIntervalMs)
        return this.end(new Boom("Connection was lost", 408));
      if (this.#isOpen) this.#send({ op: "ping" });
    }, keepAliveIntervalMs);
  }

  get #creds() {
    return this.#config.auth.creds;
  }

  get #isOpen() {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  get user() {
    return this.#creds.me;
  }

  async sendMessage(jid, content, { messageId = `3EB0${Math.random()}`, quoted } = {}) {
    if (!this.#isOpen) throw new Boom("Connection Closed", 428);
    const files = await Promise.all(
      Object.entries(content).map(async ([name, value]) => [name, await read(value)]),
    );
    await this.#send({
      op: "send",
      id: messageId,
      jid,
      content: Object.fromEntries(files),
      quoted: quoted?.key,
    });
    return {
      key: { remoteJid: jid, fromMe: true, id: messageId },
      message: { conversation: content.text ?? "" },
    };
  }

  waitForMessage(id, timeoutMs) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), timeoutMs);
      this.ws.once(`TAG:${id}`, (frame) => {
        clearTimeout(timer);
        resolve(frame);
      });
    });
  }

  async sendPresenceUpdate(type, jid) {
    await this.#send({ op: "presence", type, jid });
  }

  async readMessages(keys) {
    await this.#send({ op: "read", keys });
  }

  async requestPairingCode(number) {
    this.#creds.me = { id: `${number}@s.whatsapp.net` };
    await this.#send({ op: "code", number, code: "ABCDEFGH" });
    return "ABCDEFGH";
  }

  async groupMetadata(jid) {
    const id = `meta-${jid}-${Math.random()}`;
    const answer = this.waitForMessage(id, 5000);
    await this.#send({ op: "group", id, jid });
    return (await answer)?.attrs ?? {};
  }

  async updateMediaMessage(message) {
    return message;
  }

  end(error) {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#keepAlive);
    this.#socket.terminate();
    this.ev.emit("connection.update", { connection: "close", lastDisconnect: { error } });
    this.ev.removeAllListeners();
  }

  #send(frame) {
    return new Promise((resolve, reject) => {
      this.#socket.send(JSON.stringify(frame), (error) => (error ? reject(error) : resolve()));
    });
  }

  #take(frame) {
    this.#lastFrameAt = performance.now();
    this.ws.emit("frame", frame);
    if (frame.attrs?.id) this.ws.emit(`TAG:${frame.attrs.id}`, frame);
    if (this.#isClosed) return;
    switch (frame.op) {
      case "pair":
        this.ev.emit("connection.update", { qr: frame.ref });
        return;
      case "paired":
        Object.assign(this.#creds, { account: frame.account, me: frame.me });
        this.ev.emit("creds.update", {});
        this.#send({ op: "paired" }).catch(() => {});
        return;
      case "success":
        this.#creds.me = frame.me;
        this.ev.emit("connection.update", { connection: "open" });
        return;
      case "end":
        this.end(new Boom("Stream Errored", frame.code));
        return;
      case "message":
        this.#inOrder(() => this.#deliver(frame));
        return;
      case "receipt":
        void this.#send({ op: "received", number: frame.number }).catch(() => {});
        this.ev.emit(...receiptOf(frame));
        return;
      case "offline done":
        this.#inOrder(() => {
          for (const message of this.#late.splice(0)) this.#upsert(message, "append");
        });
    }
  }

  #inOrder(work) {
    this.#done = this.#done.then(work).catch(() => {});
  }

  async #deliver({ number, message, late, alias }) {
    if (alias) await this.#learn(alias);
    await this.#send({ op: "received", number }).catch(() => {});
    if (this.#isClosed) return;
    if (late) this.#late.push(message);
    else this.#upsert(message, "notify");
  }

  /** As Baileys stores that a number and a lid are one person. */
  async #learn([number, lid]) {
    const { keys } = this.#config.auth;
    await keys.set(`lid-mapping-${number}`, lid);
    await keys.set(`lid-mapping-${lid}_reverse`, number);
  }

  #upsert(message, type) {
    this.ev.emit("messages.upsert", { messages: [message], type });
  }
}

function receiptOf({ key, isGroup }) {
  if (isGroup) return ["message-receipt.update", [{ key, receipt: {} }]];
  return ["messages.update", [{ key, update: { status: 3 } }]];
}

/** Files go along as they are. */
async function read(value) {
  if (typeof value?.url !== "string") return value;
  return { bytes: (await fs.readFile(value.url)).toString("base64") };
}
