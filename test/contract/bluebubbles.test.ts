import { type BlueBubblesAdapter, blueBubblesAdapter } from "../../src/adapters/bluebubbles/index.js";
import { BlueBubblesEmulator, type MacChat, type MacMessage } from "../emulators/bluebubbles/index.js";
import { type CallbackServer, serveCallbacks } from "../support/serve-callbacks.js";
import { adapterContract } from "./adapter.js";
import { never, type OpenOptions, type Place, type Platform, type Stage } from "./stage.js";

const ANN = "+15551112222";

class BlueBubblesStage implements Stage {
  readonly #mac: BlueBubblesEmulator;
  readonly #server: CallbackServer;
  readonly #adapters: BlueBubblesAdapter[];
  readonly #hasty: boolean;
  readonly #places: Record<string, Place>;
  readonly log: string[] = [];
  readonly secrets = ["emulated-password"];

  constructor(
    mac: BlueBubblesEmulator,
    server: CallbackServer,
    adapters: BlueBubblesAdapter[],
    { hasty }: OpenOptions,
  ) {
    this.#mac = mac;
    this.#server = server;
    this.#adapters = adapters;
    this.#hasty = hasty;
    const family = mac.mac.group("chat83", "Family");
    this.#places = {
      "direct chat": this.#placeIn(mac.mac.direct(ANN), { chatType: "dm", chatId: ANN }),
      group: this.#placeIn(family, { chatType: "group", chatId: family.guid, chatName: "Family" }),
    };
  }

  #placeIn(chat: MacChat, origin: Place["origin"]): Place {
    const mac = this.#mac;
    let last: MacMessage | undefined;
    return {
      origin: { userId: ANN, ...origin },
      say: (text) => {
        last = mac.say(chat, ANN, chat.isGroup ? `Hermes, ${text}` : text);
      },
      seen: () =>
        mac.said(chat).map(({ guid, text, threadGuid }) => ({ id: guid, text, replyTo: threadGuid })),
      edit: (text) => mac.edit(last!, text),
      remove: () => mac.retract(last!),
    };
  }

  adapter(): BlueBubblesAdapter {
    const adapter = blueBubblesAdapter({
      apiUrl: this.#mac.url,
      password: this.secrets[0]!,
      webhookUrl: "http://gateway.example/bluebubbles-webhook",
      pollSeconds: this.#hasty ? 0.05 : 0.2,
      log: (level, message, fields) => this.log.push(`${level}: ${message} ${JSON.stringify(fields ?? {})}`),
      timing: {
        callMs: this.#hasty ? 300 : 3000,
        sendMs: this.#hasty ? 300 : 3000,
        settleMs: 100,
        backoff: { firstMs: 10, maxMs: 50 },
        refusedMs: 50,
      },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  place = (kind: string) => this.#places[kind]!;
  listeners = () => this.#mac.pending;
  requests = () => this.#mac.calls.length;
  posts = () => this.#mac.calls.filter(({ path }) => path === "/api/v1/message/text").length;
  acknowledged = () => true;
  typing = () => this.#mac.typing.filter(({ isTyping }) => isTyping).length;
  reactions = () => [...this.#mac.tapbacks.values()];
  menu = never;
  previews = never;
  pick = never;
  repeat = never;

  babble(): void {
    const mac = this.#mac;
    for (const body of [
      7,
      null,
      {},
      { type: 7 },
      { type: "new-message" },
      { type: "updated-message", data: [] },
    ])
      mac.call(body);
    mac.call(
      { type: "updated-message", data: { guid: "x", dateCreated: 1, chats: ["?"] } },
      "updated-message",
    );
    const chat = mac.mac.direct(ANN);
    for (const raw of [
      { guid: 7 },
      { chats: [] },
      { dateCreated: "now" },
      { handle: null },
      { itemType: 2 },
      { associatedMessageType: "love" },
    ])
      mac.say(chat, ANN, "nonsense", { raw });
  }

  refuse = () => this.#mac.failSend({ kind: "reply", reply: { status: 500, body: { data: { error: 22 } } } });
  limit = (seconds: number) =>
    this.#mac.failSend({
      kind: "reply",
      reply: { status: 429, headers: { "retry-after": String(seconds) } },
    });
  drop = () => this.#mac.failSend({ kind: "cut_after" });
  stall = () => this.#mac.failSend({ kind: "delay", ms: 900 });
  startSlowly = () => this.#mac.faults.next(() => true, { kind: "delay", ms: 300 });
  goDown = () => this.#mac.goDown();

  async comeBack(): Promise<void> {
    await this.#mac.start();
  }

  revokeToken(): void {
    this.#mac.password = "another";
  }

  fallSilent(): void {
    this.#mac.faults.silent = true;
  }

  speakAgain(): void {
    this.#mac.faults.silent = false;
    this.#mac.disconnect();
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    this.#server.close();
    await this.#mac.close();
  }
}

const bluebubbles: Platform = {
  name: "bluebubbles",
  kinds: ["direct chat", "group"],
  can: ["type", "look up", "react"],
  lacks: {
    acknowledgement: "the server wants none: a cursor moves with the message instead",
    repeats: "the database has each message once",
  },
  open: async (options) => {
    const mac = await new BlueBubblesEmulator().start();
    const adapters: BlueBubblesAdapter[] = [];
    const server = await serveCallbacks(() => adapters.at(-1)?.callbacks ?? []);
    mac.gatewayUrl = server.url;
    return new BlueBubblesStage(mac, server, adapters, options);
  },
};

adapterContract(bluebubbles);
