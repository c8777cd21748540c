/** Email: IMAP in, SMTP out. A conversation with an address is one session; threads only decide the headers of answers. */
import { SendError } from "../../errors.js";
import type { OutboundMessage } from "../../message.js";
import { settlesWithin } from "../../timeout.js";
import type { Adapter, AdapterEvents, CanLookUp, Health, LookedUp, PartContext } from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { type EmailOptions, MAX_FILES_BYTES, type Settings, settingsOf } from "./config.js";
import { Uplink } from "./connect.js";
import { PLATFORM } from "./ids.js";
import { Mailboxes } from "./mailbox.js";
import { Receiver } from "./receive.js";
import { LIMIT, type MailPart, partsOf } from "./render.js";
import { Sender } from "./send.js";

export type { EmailOptions } from "./config.js";

export interface EmailAdapter extends Adapter, CanLookUp {}

export function emailAdapter(options: EmailOptions): EmailAdapter {
  return new Mail(settingsOf(options));
}

interface Session {
  uplink: Uplink;
  sender: Sender;
  running: Promise<void>;
}

/** How long a disconnect waits for messages being received. */
const DISCONNECT_MS = 1000;

class Mail implements EmailAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly files?: { maxBytes: number };
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  #session: Session | undefined;
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    const { account, media, pollMs, timing, log } = settings;
    this.#settings = settings;
    this.account = account;
    if (media) this.files = { maxBytes: MAX_FILES_BYTES };
    this.#health = new HealthTracker({
      label: "the mail server",
      staleMs: 2 * pollMs + 3 * timing.callMs,
      log,
    });
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    if (life.signal.aborted) return;
    const settings = this.#settings;
    const mailboxes = new Mailboxes(settings);
    const receiver = new Receiver({ settings, events, mailboxes, signal: life.signal });
    const uplink = new Uplink({ settings, events, health: this.#health, receiver });
    await uplink.open(life.signal).catch((error: unknown) => {
      life.abort();
      throw error;
    });
    if (life.signal.aborted) return uplink.close();
    const sender = new Sender(settings, mailboxes);
    this.#session = { uplink, sender, running: uplink.run(life.signal) };
  }

  async disconnect(): Promise<void> {
    this.#health.closed();
    this.#life?.abort();
    this.#session?.uplink.close();
    if (this.#session) await settlesWithin(this.#session.running, DISCONNECT_MS);
  }

  health(): Health {
    return this.#health.read();
  }

  readonly render = partsOf;

  async sendPart(
    message: OutboundMessage,
    part: MailPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (!this.#session) throw new SendError("never_sent", "Not connected to the mail server");
    return this.#session.sender.sendPart(message, part, context, signal);
  }

  async lookUp(
    message: OutboundMessage,
    _: MailPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    return (await this.#session?.sender.lookUp(message, context, signal)) ?? "unknown";
  }
}
