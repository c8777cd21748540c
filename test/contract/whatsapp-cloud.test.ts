import { type WhatsAppAdapter, whatsAppAdapter } from "../../src/adapters/whatsapp-cloud/index.js";
import { WhatsAppEmulator } from "../emulators/whatsapp-cloud/index.js";
import { type CallbackServer, serveCallbacks } from "../support/serve-callbacks.js";
import { adapterContract } from "./adapter.js";
import { never, type OpenOptions, type Place, type Platform, type Stage } from "./stage.js";

const ANN = "15551112222";

class WhatsAppStage implements Stage {
  readonly #meta: WhatsAppEmulator;
  readonly #server: CallbackServer;
  readonly #adapters: WhatsAppAdapter[];
  readonly #hasty: boolean;
  readonly #presses: string[] = [];
  readonly log: string[] = [];
  readonly secrets = ["emulated-access-token", "emulated-app-secret"];

  constructor(
    meta: WhatsAppEmulator,
    server: CallbackServer,
    adapters: WhatsAppAdapter[],
    { hasty }: OpenOptions,
  ) {
    this.#meta = meta;
    this.#server = server;
    this.#adapters = adapters;
    this.#hasty = hasty;
  }

  adapter(): WhatsAppAdapter {
    const adapter = whatsAppAdapter({
      phoneNumberId: this.#meta.phoneNumberId,
      accessToken: "emulated-access-token",
      appSecret: this.#meta.appSecret,
      apiUrl: this.#meta.url,
      log: (level, message, fields) => this.log.push(`${level}: ${message} ${JSON.stringify(fields ?? {})}`),
      timing: {
        callMs: this.#hasty ? 300 : 3000,
        checkMs: this.#hasty ? 50 : 300,
        settleMs: 300,
        backoff: { firstMs: 10, maxMs: 50 },
        refusedMs: 50,
      },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  place(): Place {
    const meta = this.#meta;
    return {
      origin: { chatType: "dm", chatId: ANN, userId: ANN, userName: "Ann" },
      say: (text) => void meta.say(ANN, text),
      seen: () =>
        meta.said(ANN).map(({ id, text, replyTo, rows }) => ({
          ...{ id, text, replyTo },
          ...(rows ? { buttons: rows.map(({ title }) => title) } : {}),
        })),
      press: (message, label) => {
        this.#presses.push(meta.press(ANN, message.id, label).id);
        return ANN;
      },
      edit: never,
      remove: () => {
        const at = meta.messages.findLastIndex(({ from }) => from === "person");
        meta.messages.splice(at, 1);
      },
    };
  }

  listeners = () => this.#meta.pending;
  requests = () => this.#meta.calls.length;
  posts = () => this.#meta.calls.filter(({ method }) => method === "POST").length;
  acknowledged = () => this.#meta.webhooks.all.every(({ state }) => state === "accepted");
  typing = () => this.#meta.typing;
  reactions = () => [...this.#meta.reactions.values()];
  pressesAcknowledged = () =>
    this.#meta.webhooks.all.filter(
      ({ state, post }) => state === "accepted" && this.#presses.some((id) => post.body.includes(id)),
    ).length;
  menu = never;
  previews = never;
  pick = never;

  repeat(): void {
    this.#meta.webhooks.duplicate = true;
  }

  babble(): void {
    const meta = this.#meta;
    meta.call("babble", {});
    meta.call("babble", {
      messages: [null, {}, { id: "nonsense", from: ANN }, { id: "wamid.1", from: ANN }],
    });
    meta.call("babble", { messages: [{ id: "wamid.2", from: ANN, timestamp: "1", type: "tomorrow" }] });
    meta.call("babble", { statuses: [null, { id: 7 }] });
    meta.callRaw("babble", { object: "whatsapp_business_account", entry: "nonsense" });
  }

  refuse = () => this.#meta.refuseNext(131047);
  limit = (seconds: number) => this.#meta.refuseNext(130429, 429, { "retry-after": String(seconds) });
  drop = () => this.#meta.failSend({ kind: "cut_after" });
  stall = () => this.#meta.failSend({ kind: "delay", ms: 900 });
  startSlowly = () => this.#meta.faults.next(() => true, { kind: "delay", ms: 300 });
  goDown = () => this.#meta.goDown();

  async comeBack(): Promise<void> {
    await this.#meta.start();
  }

  revokeToken(): void {
    this.#meta.accessToken = "another";
  }

  fallSilent(): void {
    this.#meta.faults.silent = true;
  }

  speakAgain(): void {
    this.#meta.faults.silent = false;
    this.#meta.disconnect();
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    this.#server.close();
    await this.#meta.close();
  }
}

const whatsapp: Platform = {
  name: "whatsapp_cloud",
  kinds: ["chat"],
  can: ["type", "react", "ask"],
  lacks: {
    edits: "WhatsApp tells businesses nothing of them",
    deletes: "WhatsApp tells businesses nothing of them",
    "other people": "there are no groups",
    settling: "a message can't be changed",
  },
  open: async (options) => {
    const meta = await new WhatsAppEmulator().start();
    const adapters: WhatsAppAdapter[] = [];
    const server = await serveCallbacks(() => adapters.at(-1)?.callbacks ?? []);
    meta.gatewayUrl = server.url;
    return new WhatsAppStage(meta, server, adapters, options);
  },
};

adapterContract(whatsapp);
