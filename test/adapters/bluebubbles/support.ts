/** An adapter connected to the emulator, with a server that passes the Mac's calls on to it. */
import {
  type BlueBubblesAdapter,
  type BlueBubblesOptions,
  blueBubblesAdapter,
} from "../../../src/adapters/bluebubbles/index.js";
import type { Target } from "../../../src/message.js";
import { Inbox } from "../../contract/inbox.js";
import { BlueBubblesEmulator } from "../../emulators/bluebubbles/index.js";
import type { Outgoing } from "../../support/send.js";
import { type CallbackServer, serveCallbacks } from "../../support/serve-callbacks.js";

export const ANN = "+15551112222";
export const WEBHOOK = "http://gateway.example/bluebubbles-webhook";

export class Bench {
  readonly server = new BlueBubblesEmulator();
  readonly inbox = new Inbox();
  readonly log: string[] = [];
  readonly ann = this.server.mac.direct(ANN);
  readonly family = this.server.mac.group("chat83", "Family");
  readonly #adapters: BlueBubblesAdapter[] = [];
  #callbacks: CallbackServer | undefined;

  async start(): Promise<this> {
    await this.server.start();
    this.#callbacks = await serveCallbacks(() => this.#adapters.at(-1)?.callbacks ?? []);
    this.server.gatewayUrl = this.#callbacks.url;
    return this;
  }

  get gatewayUrl(): string {
    return this.#callbacks!.url;
  }

  get options(): BlueBubblesOptions {
    const { url: apiUrl, password } = this.server;
    return { apiUrl, password, webhookUrl: WEBHOOK, pollSeconds: 3600 };
  }

  adapter(options: Partial<BlueBubblesOptions> = {}): BlueBubblesAdapter {
    const adapter = blueBubblesAdapter({
      ...this.options,
      log: (level, message) => this.log.push(`${level}: ${message}`),
      ...options,
      timing: { callMs: 2000, settleMs: 50, backoff: { firstMs: 10, maxMs: 50 }, ...options.timing },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  async connected(options: Partial<BlueBubblesOptions> = {}): Promise<BlueBubblesAdapter> {
    const adapter = this.adapter(options);
    await adapter.connect(this.inbox, new AbortController().signal);
    return adapter;
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    this.#callbacks?.close();
    await this.server.close();
  }
}

let nextId = 1;

export function outbound(text: string, more: Partial<Outgoing> = {}, target: Partial<Target> = {}): Outgoing {
  const id = nextId++;
  const to = { platform: "bluebubbles", account: "bluebubbles", chatType: "dm", chatId: ANN } as const;
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
