import { type EmailAdapter, emailAdapter } from "../../src/adapters/email/index.js";
import { EmailEmulator } from "../emulators/email/index.js";
import { adapterContract } from "./adapter.js";
import { never, type OpenOptions, type Place, type Platform, type Stage } from "./stage.js";

const ANN = "ann@people.example";

class EmailStage implements Stage {
  readonly #server: EmailEmulator;
  readonly #adapters: EmailAdapter[] = [];
  readonly #hasty: boolean;
  readonly log: string[] = [];
  readonly secrets = ["emulated-password", Buffer.from("emulated-password").toString("base64")];

  constructor(server: EmailEmulator, { hasty }: OpenOptions) {
    this.#server = server;
    this.#hasty = hasty;
  }

  adapter(): EmailAdapter {
    const server = { host: "127.0.0.1", security: "plain", verify: true } as const;
    const adapter = emailAdapter({
      address: this.#server.address,
      password: "emulated-password",
      imap: { ...server, port: this.#server.imap.port },
      smtp: { ...server, port: this.#server.smtpPort },
      serverKeepsSent: true,
      pollSeconds: this.#hasty ? 0.05 : 20,
      log: (level, message, fields) => this.log.push(`${level}: ${message} ${JSON.stringify(fields ?? {})}`),
      timing: {
        callMs: this.#hasty ? 300 : 3000,
        settleMs: 20,
        backoff: { firstMs: 10, maxMs: 50 },
        refusedMs: 50,
      },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  place(): Place {
    return {
      origin: { chatType: "dm", chatId: ANN, userId: ANN },
      say: (text) => void this.#server.say(ANN, text),
      seen: () => this.#server.saidTo(ANN).map(({ id, text }) => ({ id, text, replyTo: null })),
      edit: never,
      remove: never,
    };
  }

  listeners = () => this.#server.imap.connections;
  requests = () => this.#server.world.commands.length + this.#server.imap.connections;
  posts = () => this.#server.attempts;
  /** There is nothing to acknowledge: mail stays in the mailbox. */
  acknowledged = () => true;
  typing = never;
  menu = never;
  previews = never;
  pick = never;

  repeat(): void {
    this.#server.duplicate = true;
  }

  babble(): void {
    const server = this.#server;
    server.deliver("");
    server.deliver("\r\n\r\n");
    server.deliver("From: nonsense\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n--x--");
    server.say(ANN, "forged", { results: "mx.example.org; dmarc=fail header.from=people.example" });
    server.say(ANN, "unchecked", { results: null });
    server.say(ANN, "away", { headers: { "Auto-Submitted": "auto-replied" } });
    server.say(ANN, "news", { headers: { "List-Id": "<news.example>" } });
    server.say(server.address, "myself");
    server.say("noreply@shop.example", "buy");
  }

  refuse = () => this.#server.failSend({ kind: "reply", code: 550, text: `5.1.1 <${ANN}>: no such user` });
  limit = (seconds: number) =>
    this.#server.failSend({ kind: "reply", code: 451, text: `4.7.1 Please try again in ${seconds} seconds` });
  drop = () => this.#server.failSend({ kind: "cut_after" });
  stall = () => this.#server.failSend({ kind: "delay", ms: 900 });
  goDown = () => this.#server.goDown();

  startSlowly(): void {
    this.#server.world.faults.greetingMs = 300;
  }

  async comeBack(): Promise<void> {
    await this.#server.start();
  }

  revokeToken(): void {
    this.#server.world.password = "another-password";
  }

  fallSilent(): void {
    this.#server.world.faults.silent = true;
  }

  speakAgain(): void {
    this.#server.world.faults.silent = false;
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    await this.#server.close();
  }
}

const email: Platform = {
  name: "email",
  kinds: ["mail"],
  can: ["look up"],
  lacks: {
    acknowledgement: "mail stays in the mailbox: the cursor is ours",
    edits: "a mail can't be edited",
    deletes: "a mail can't be taken back",
    "other people": "there are no groups",
    quotes: "every mail of an answer belongs to the thread of the question",
  },
  open: async (options) => new EmailStage(await new EmailEmulator().start(), options),
};

adapterContract(email);
