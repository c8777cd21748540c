/** An adapter connected to the emulated mail server. */
import { type EmailAdapter, type EmailOptions, emailAdapter } from "../../../src/adapters/email/index.js";
import type { Target } from "../../../src/message.js";
import { Inbox } from "../../contract/inbox.js";
import { EmailEmulator } from "../../emulators/email/index.js";
import type { Outgoing } from "../../support/send.js";

export const ANN = "ann@people.example";

export class Bench {
  readonly server = new EmailEmulator();
  readonly inbox = new Inbox();
  readonly log: string[] = [];
  readonly #adapters: EmailAdapter[] = [];

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  options(options: Partial<EmailOptions> = {}): EmailOptions {
    const server = { host: "127.0.0.1", security: "plain", verify: true } as const;
    return {
      address: this.server.address,
      password: this.server.world.password,
      imap: { ...server, port: this.server.imap.port },
      smtp: { ...server, port: this.server.smtpPort },
      serverKeepsSent: true,
      log: (level, message) => this.log.push(`${level}: ${message}`),
      ...options,
      timing: { callMs: 3000, settleMs: 10, backoff: { firstMs: 10, maxMs: 50 }, ...options.timing },
    };
  }

  async connected(options: Partial<EmailOptions> = {}): Promise<EmailAdapter> {
    const adapter = emailAdapter(this.options(options));
    this.#adapters.push(adapter);
    await adapter.connect(this.inbox, new AbortController().signal);
    return adapter;
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    await this.server.close();
  }
}

let nextId = 1;

export function outbound(text: string, target: Partial<Target> = {}, more: Partial<Outgoing> = {}): Outgoing {
  const id = nextId++;
  const to = {
    platform: "email",
    account: "hermes@example.org",
    chatType: "dm",
    chatId: ANN,
    userId: ANN,
  } as const;
  return {
    id,
    nonce: `nonce-${id}`,
    kind: "answer",
    target: { ...to, threadId: null, replyTo: null, ...target },
    text,
    turnId: null,
    ...more,
  };
}

export const patience = () => AbortSignal.timeout(8000);
