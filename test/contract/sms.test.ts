import { type SmsAdapter, smsAdapter } from "../../src/adapters/sms/index.js";
import { SmsEmulator, type SmsMessage } from "../emulators/sms/index.js";
import { type CallbackServer, serveCallbacks } from "../support/serve-callbacks.js";
import { adapterContract } from "./adapter.js";
import { never, type OpenOptions, type Place, type Platform, type Stage } from "./stage.js";

const ANN = "+15551112222";

class SmsStage implements Stage {
  readonly #twilio: SmsEmulator;
  readonly #server: CallbackServer;
  readonly #adapters: SmsAdapter[];
  readonly #hasty: boolean;
  readonly log: string[] = [];

  constructor(twilio: SmsEmulator, server: CallbackServer, adapters: SmsAdapter[], { hasty }: OpenOptions) {
    this.#twilio = twilio;
    this.#server = server;
    this.#adapters = adapters;
    this.#hasty = hasty;
  }

  readonly secrets = ["emulated-auth-token", Buffer.from("emulated-auth-token").toString("base64")];

  adapter(): SmsAdapter {
    const adapter = smsAdapter({
      accountSid: this.#twilio.accountSid,
      authToken: "emulated-auth-token",
      phoneNumber: this.#twilio.number,
      webhookUrl: this.#twilio.webhookUrl,
      apiUrl: this.#twilio.url,
      pollSeconds: this.#hasty ? 0.05 : 0.3,
      log: (level, message, fields) => this.log.push(`${level}: ${message} ${JSON.stringify(fields ?? {})}`),
      timing: {
        callMs: this.#hasty ? 300 : 3000,
        nudgeMs: this.#hasty ? 300 : 3000,
        settleMs: 20,
        backoff: { firstMs: 10, maxMs: 50 },
        refusedMs: 50,
      },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  place(): Place {
    const twilio = this.#twilio;
    return {
      origin: { chatType: "dm", chatId: ANN, userId: ANN },
      say: (text) => void twilio.say(ANN, text),
      seen: () =>
        twilio.said(ANN).map(({ sid, body }: SmsMessage) => ({ id: sid, text: body, replyTo: null })),
      edit: never,
      remove: never,
    };
  }

  listeners = () => this.#twilio.pending;
  requests = () => this.#twilio.calls.length;
  posts = () => this.#twilio.sends;
  /** A failed call isn't repeated: the list still has the message. */
  acknowledged = () => this.#twilio.webhooks.all.every(({ state }) => state !== "waiting");
  typing = never;
  menu = never;
  previews = never;
  pick = never;

  repeat(): void {
    this.#twilio.webhooks.duplicate = true;
  }

  babble(): void {
    const twilio = this.#twilio;
    for (const fields of [
      {},
      { MessageSid: "nonsense", From: ANN, Body: "broken" },
      { MessageSid: "SM1", From: "MyBank", To: twilio.number, AccountSid: twilio.accountSid, Body: "a name" },
      { MessageSid: "SM2", From: ANN, To: "+19999999999", AccountSid: twilio.accountSid, Body: "not ours" },
      { MessageSid: "SM3", From: ANN, To: twilio.number, AccountSid: twilio.accountSid, NumMedia: "-7" },
    ] as Record<string, string>[]) {
      const body = new URLSearchParams(fields).toString();
      const headers = { "x-twilio-signature": twilio.sign(twilio.webhookUrl, fields) };
      twilio.webhooks.add({ key: "babble", url: `${this.#server.url}/webhooks/twilio`, headers, body });
    }
  }

  refuse = () => this.#twilio.refuseNext(21610);
  limit = (seconds: number) => this.#twilio.rateLimit(seconds);
  drop = () => this.#twilio.failSend({ kind: "cut_after" });
  stall = () => this.#twilio.failSend({ kind: "delay", ms: 900 });
  startSlowly = () => this.#twilio.faults.next(() => true, { kind: "delay", ms: 300 });
  goDown = () => this.#twilio.goDown();

  async comeBack(): Promise<void> {
    await this.#twilio.start();
  }

  revokeToken(): void {
    this.#twilio.authToken = "another-token";
  }

  fallSilent(): void {
    this.#twilio.faults.silent = true;
  }

  speakAgain(): void {
    this.#twilio.faults.silent = false;
    this.#twilio.disconnect();
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    this.#server.close();
    await this.#twilio.close();
  }
}

const sms: Platform = {
  name: "sms",
  kinds: ["text message"],
  can: ["look up"],
  lacks: {
    edits: "an SMS can't be edited",
    deletes: "an SMS can't be taken back",
    "other people": "there are no groups",
    quotes: "an SMS can't quote",
  },
  open: async (options) => {
    const twilio = await new SmsEmulator().start();
    const adapters: SmsAdapter[] = [];
    const server = await serveCallbacks(() => adapters.at(-1)?.callbacks ?? []);
    twilio.gatewayUrl = server.url;
    return new SmsStage(twilio, server, adapters, options);
  },
};

adapterContract(sms);
