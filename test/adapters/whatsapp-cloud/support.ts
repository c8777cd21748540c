/** An adapter connected to the emulator, with a server that passes Meta's calls on to it. */
import {
  type WhatsAppAdapter,
  type WhatsAppOptions,
  whatsAppAdapter,
} from "../../../src/adapters/whatsapp-cloud/index.js";
import type { Target } from "../../../src/message.js";
import { Inbox } from "../../contract/inbox.js";
import { WhatsAppEmulator } from "../../emulators/whatsapp-cloud/index.js";
import type { Outgoing } from "../../support/send.js";
import { type CallbackServer, serveCallbacks } from "../../support/serve-callbacks.js";

export const ANN = "15551112222";

export class Bench {
  readonly meta = new WhatsAppEmulator();
  readonly inbox = new Inbox();
  readonly log: string[] = [];
  readonly #adapters: WhatsAppAdapter[] = [];
  #server: CallbackServer | undefined;

  async start(): Promise<this> {
    await this.meta.start();
    this.#server = await serveCallbacks(() => this.#adapters.at(-1)?.callbacks ?? []);
    this.meta.gatewayUrl = this.#server.url;
    return this;
  }

  get webhookUrl(): string {
    return this.#server!.url + this.meta.path;
  }

  get options(): WhatsAppOptions {
    const { phoneNumberId, accessToken, appSecret, url: apiUrl } = this.meta;
    return { phoneNumberId, accessToken, appSecret, apiUrl, verifyToken: "emulated-verify-token" };
  }

  adapter(options: Partial<WhatsAppOptions> = {}): WhatsAppAdapter {
    const adapter = whatsAppAdapter({
      ...this.options,
      log: (level, message) => this.log.push(`${level}: ${message}`),
      ...options,
      timing: { callMs: 2000, settleMs: 100, backoff: { firstMs: 10, maxMs: 50 }, ...options.timing },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  async connected(options: Partial<WhatsAppOptions> = {}): Promise<WhatsAppAdapter> {
    const adapter = this.adapter(options);
    await adapter.connect(this.inbox, new AbortController().signal);
    return adapter;
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    this.#server?.close();
    await this.meta.close();
  }
}

let nextId = 1;

export function outbound(text: string, more: Partial<Outgoing> = {}, target: Partial<Target> = {}): Outgoing {
  const id = nextId++;
  const to = { platform: "whatsapp_cloud", account: "100200300", chatType: "dm", chatId: ANN } as const;
  return {
    id,
    nonce: `nonce-${id}`,
    kind: "answer",
    target: { ...to, userId: ANN, threadId: null, replyTo: null, ...target },
    text,
    turnId: null,
    ...more,
  };
}

export const patience = () => AbortSignal.timeout(5000);
