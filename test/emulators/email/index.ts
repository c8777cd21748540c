/**
 * A provider's mail server on loopback: `new EmailEmulator().start()`. SMTP is npm's smtp-server, IMAP is our own. Like
 * many providers it puts a copy of each mail that it takes into Sent, and its Authentication-Results above each mail that
 * comes in.
 */
import { setTimeout as sleep } from "node:timers/promises";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { ImapServer, type ImapWorld } from "./imap.js";
import { Mailbox } from "./mailbox.js";

export type SmtpFault =
  | { kind: "cut_before" | "cut_after" }
  | { kind: "reply"; code: number; text: string }
  | { kind: "delay"; ms: number };

export interface SaidMail {
  id: string;
  to: string;
  text: string;
  atMs: number;
  email: Email;
}

export interface MailFromPerson {
  subject?: string;
  headers?: Record<string, string>;
  /** The server's verdict; null: none. */
  results?: string | null;
  messageId?: string;
}

interface Cuttable {
  session: { id: string };
  _socket: { destroy(): void };
}

export class EmailEmulator {
  readonly address = "hermes@example.org";
  readonly inbox = new Mailbox();
  readonly sent = new Mailbox();
  readonly said: SaidMail[] = [];
  readonly world: ImapWorld = {
    user: this.address,
    password: "emulated-password",
    boxes: { INBOX: this.inbox, Sent: this.sent },
    faults: { outage: false, silent: false, greetingMs: 0 },
    commands: [],
  };
  /** Whether the provider files sent mail itself. */
  keepsSent = true;
  /** Each mail arrives twice. */
  duplicate = false;
  attempts = 0;
  readonly unansweredAtMs: number[] = [];
  readonly imap = new ImapServer(this.world);
  readonly #faults: SmtpFault[] = [];
  #held: string[] | undefined;
  #smtp: SMTPServer | undefined;
  #smtpPort = 0;
  #ids = 0;

  get smtpPort(): number {
    return this.#smtpPort;
  }

  /** For `platforms.email` in config.yaml. */
  get settings() {
    return {
      address: this.address,
      password: this.world.password,
      imap_host: "127.0.0.1",
      imap_port: this.imap.port,
      imap_security: "plain",
      smtp_host: "127.0.0.1",
      smtp_port: this.smtpPort,
      smtp_security: "plain",
      server_keeps_sent: true,
      poll_seconds: 5,
    };
  }

  async start(): Promise<this> {
    await Promise.all([this.imap.start(), this.#startSmtp()]);
    return this;
  }

  async #startSmtp(): Promise<void> {
    const smtp = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      onConnect: (_, done) =>
        done(this.world.faults.outage ? fault(421, "Service not available") : undefined),
      onAuth: ({ username, password }, _, done) =>
        username === this.world.user && password === this.world.password
          ? done(null, { user: username })
          : done(fault(535, "5.7.8 Authentication credentials invalid")),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => void this.#take(Buffer.concat(chunks), session.id, done));
      },
    });
    smtp.on("error", () => undefined);
    this.#smtp = smtp;
    await new Promise<void>((resolve) => smtp.listen(this.#smtpPort, "127.0.0.1", () => resolve()));
    this.#smtpPort = (smtp.server.address() as { port: number }).port;
  }

  async goDown(): Promise<void> {
    const smtp = this.#smtp;
    this.#smtp = undefined;
    if (smtp) {
      for (const connection of smtp.connections) (connection as unknown as Cuttable)._socket.destroy();
      await new Promise<void>((resolve) => smtp.close(() => resolve()));
    }
    await this.imap.stop();
  }

  close(): Promise<void> {
    return this.goDown();
  }

  disconnect(): void {
    this.imap.disconnect();
    for (const connection of this.#smtp?.connections ?? [])
      (connection as unknown as Cuttable)._socket.destroy();
  }

  // ── faults ────────────────────────────────────────────────────────────────────────────────────────────────────────

  failSend(one: SmtpFault): void {
    this.#faults.push(one);
  }

  get armed(): number {
    return this.#faults.length;
  }

  calm(): void {
    this.#faults.length = 0;
    this.world.faults.outage = false;
    this.world.faults.silent = false;
    this.duplicate = false;
    this.release();
  }

  /** Mails are kept back until `release`, which delivers them newest first. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const raw of held.toReversed()) this.inbox.add(raw);
  }

  // ── people ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Returns the mail as it was written. */
  say(from: string, text: string, mail: MailFromPerson = {}): string {
    this.#ids += 1;
    const { subject = "", headers = {}, messageId = `<person-${this.#ids}@${from.split("@")[1]}>` } = mail;
    const { results = `mx.example.org; dmarc=pass header.from=${from.split("@")[1]}` } = mail;
    const lines = [
      ...(results === null ? [] : [`Authentication-Results: ${results}`]),
      `From: ${from}`,
      `To: ${this.address}`,
      ...(subject === "" ? [] : [`Subject: ${subject}`]),
      `Message-ID: ${messageId}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...("Content-Type" in headers ? [] : ["Content-Type: text/plain; charset=utf-8"]),
      "",
      text.replace(/\r?\n/g, "\r\n"),
    ];
    const raw = lines.join("\r\n");
    for (let copy = 0; copy < (this.duplicate ? 2 : 1); copy++) this.deliver(raw);
    return raw;
  }

  deliver(raw: string): void {
    if (this.#held) this.#held.push(raw);
    else this.inbox.add(raw);
  }

  /** What this person got from us, oldest first. */
  saidTo(address: string): SaidMail[] {
    return this.said.filter(({ to }) => to === address);
  }

  // ── SMTP ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  async #take(raw: Buffer, session: string, done: (error?: Error | null) => void): Promise<void> {
    this.attempts += 1;
    const one = this.#faults.shift();
    if (one?.kind === "reply") {
      done(fault(one.code, one.text));
      return;
    }
    if (one?.kind === "cut_before") {
      this.#cut(session);
      return;
    }
    await this.#keep(raw);
    if (one?.kind === "cut_after") {
      this.#cut(session);
      return;
    }
    if (one?.kind === "delay") await sleep(one.ms);
    done();
  }

  #cut(session: string): void {
    this.unansweredAtMs.push(Date.now());
    const all = [...(this.#smtp?.connections ?? [])] as unknown as Cuttable[];
    all.find((connection) => connection.session.id === session)?._socket.destroy();
  }

  async #keep(raw: Buffer): Promise<void> {
    const email = await PostalMime.parse(raw);
    const to = email.to?.[0]?.address ?? "";
    this.said.push({
      id: email.messageId ?? "",
      to,
      text: (email.text ?? "").trim(),
      atMs: Date.now(),
      email,
    });
    if (this.keepsSent) this.sent.add(raw);
  }
}

function fault(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
