import type { Adapter } from "../../src/adapters/adapter.js";
import { signalAdapter } from "../../src/adapters/signal/index.js";
import { NUMBER, type Person, rateLimited, SignalEmulator } from "../emulators/signal/index.js";
import { adapterContract } from "./adapter.js";
import { RestStage } from "./rest-stage.js";
import type { OpenOptions, Place, Platform } from "./stage.js";

class SignalStage extends RestStage<SignalEmulator> {
  readonly secrets = ["+15550201234"];
  readonly sends = { method: "POST", path: /\/rpc\/send$/ };
  readonly first = { method: "GET", path: /\/check$/ };
  readonly refusal = {
    status: 200,
    body: { jsonrpc: "2.0", id: 1, error: { code: -1, message: "User is not a member of the group" } },
  };

  constructor(emulator: SignalEmulator, options: OpenOptions) {
    super(emulator, options);
    const ann = emulator.person("Ann");
    this.#add("direct chat", ann, undefined);
    this.#add("group", ann, "Zm9v/YmFy=");
  }

  limited = rateLimited;

  make(): Adapter {
    const callMs = this.hasty ? 600 : 3000;
    return signalAdapter({
      number: NUMBER,
      apiUrl: this.emulator.url,
      log: this.logged,
      timing: {
        ...{ callMs, openMs: 3000, silenceMs: this.hasty ? 200 : 3000 },
        backoff: { firstMs: 20, maxMs: 200 },
        receiveRetry: { firstMs: 10, maxMs: 100 },
      },
    });
  }

  #add(kind: string, ann: Person, groupId: string | undefined): void {
    const { emulator } = this;
    const chatId = groupId === undefined ? ann.number! : `group:${groupId}`;
    let last = 0;
    this.places.set(kind, {
      origin: {
        ...{ chatType: groupId === undefined ? "dm" : "group", chatId, threadId: null },
        ...{ userId: ann.number, userIdAlt: ann.uuid, userName: "Ann" },
      } as Place["origin"],
      say: (text) => {
        const mentions = [{ name: "Hermes", number: NUMBER, uuid: null, start: 0, length: 1 }];
        last = emulator.say(ann, groupId ? `\ufffc ${text}` : text, groupId, groupId ? { mentions } : {});
      },
      seen: () =>
        emulator.said(groupId ?? ann.number!).map(({ timestamp, text, quote }) => ({
          ...{ id: `${timestamp}:${NUMBER}`, text },
          replyTo: quote === null ? null : `${quote}:${ann.number}`,
        })),
      edit: (text) => emulator.edit(ann, last, text, groupId),
      remove: () => emulator.remove(ann, last, groupId),
    });
  }

  listeners = () => this.emulator.streams;
  typing = () => this.emulator.typing.length;
  reactions = () => [...this.emulator.reactions.values()];

  repeat(): void {
    this.emulator.duplicate = true;
  }

  babble(): void {
    const ann = this.emulator.person("Ann");
    for (const content of [
      {},
      { receiptMessage: {} },
      { typingMessage: {} },
      { dataMessage: 7 },
      { editMessage: {} },
    ])
      this.emulator.deliver(ann, content);
    this.emulator.deliver(ann, { dataMessage: { timestamp: 1, message: null, reaction: { emoji: "+" } } });
    this.emulator.deliver(ann, { dataMessage: { timestamp: "x", message: "?" } });
    this.emulator.deliver(
      { ...ann, number: "?", uuid: "?" },
      { dataMessage: { timestamp: 1, message: "?" } },
    );
    for (const data of ["{", "null", "7", "[]"]) this.emulator.raw(`data:${data}\n\n`);
  }

  revokeToken(): never {
    throw new Error("signal-cli has no token");
  }
}

const signal: Platform = {
  name: "signal",
  kinds: ["direct chat", "group"],
  can: ["type", "react"],
  lacks: {
    acknowledgement: "signal-cli wants none, and gives a message once",
    recognition: "Signal can't be asked, so repeats are marked",
    credentials: "signal-cli has no token: only programs on its machine reach it",
  },
  open: async (options) => {
    const emulator = new SignalEmulator({ keepAliveMs: options.hasty ? 50 : 1000 });
    return new SignalStage(await emulator.start(), options);
  },
};

adapterContract(signal);
