/** An adapter connected to the emulator, with a server that passes Twilio's calls on to it. */
import { type SmsAdapter, type SmsOptions, smsAdapter } from "../../../src/adapters/sms/index.js";
import type { Target } from "../../../src/message.js";
import { Inbox } from "../../contract/inbox.js";
import { SmsEmulator } from "../../emulators/sms/index.js";
import type { Outgoing } from "../../support/send.js";
import { type CallbackServer, serveCallbacks } from "../../support/serve-callbacks.js";

export const ANN = "+15551112222";

export class Bench {
  readonly twilio = new SmsEmulator();
  readonly inbox = new Inbox();
  readonly log: string[] = [];
  readonly #adapters: SmsAdapter[] = [];
  #server: CallbackServer | undefined;

  async start(): Promise<this> {
    await this.twilio.start();
    this.#server = await serveCallbacks(() => this.#adapters.at(-1)?.callbacks ?? []);
    this.twilio.gatewayUrl = this.#server.url;
    return this;
  }

  get gatewayUrl(): string {
    return this.#server!.url;
  }

  adapter(options: Partial<SmsOptions> = {}): SmsAdapter {
    const adapter = smsAdapter({
      accountSid: this.twilio.accountSid,
      authToken: this.twilio.authToken,
      phoneNumber: this.twilio.number,
      webhookUrl: this.twilio.webhookUrl,
      apiUrl: this.twilio.url,
      log: (level, message) => this.log.push(`${level}: ${message}`),
      ...options,
      timing: { callMs: 2000, settleMs: 10, backoff: { firstMs: 10, maxMs: 50 }, ...options.timing },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  async connected(options: Partial<SmsOptions> = {}): Promise<SmsAdapter> {
    const adapter = this.adapter(options);
    await adapter.connect(this.inbox, new AbortController().signal);
    return adapter;
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    this.#server?.close();
    await this.twilio.close();
  }
}

let nextId = 1;

export function outbound(text: string, target: Partial<Target> = {}): Outgoing {
  const id = nextId++;
  const to = { platform: "sms", account: "+15550000001", chatType: "dm", chatId: ANN, userId: ANN } as const;
  return {
    id,
    nonce: `nonce-${id}`,
    kind: "answer",
    target: { ...to, threadId: null, replyTo: null, ...target },
    text,
    turnId: null,
  };
}

export const patience = () => AbortSignal.timeout(5000);
