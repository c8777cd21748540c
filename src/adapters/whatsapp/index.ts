/** WhatsApp as a linked device of a person's account, over Baileys. */
import { pause } from "../../backoff.js";
import { SendError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import { settlesWithin } from "../../timeout.js";
import type {
  Adapter,
  AdapterEvents,
  CanLink,
  CanReact,
  CanType,
  Health,
  LinkCode,
  PartContext,
  ReactionState,
} from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { openBaileys } from "./baileys.js";
import { MAX_UPLOAD_BYTES, type Settings, settingsOf, type WhatsAppOptions } from "./config.js";
import { Uplink } from "./connect.js";
import { PLATFORM } from "./ids.js";
import { howToInstall, loadLibrary } from "./library.js";
import type { OpenLink } from "./port.js";
import { Receiver } from "./receive.js";
import { LIMIT, partsOf, type WhatsAppPart } from "./render.js";
import { Sender } from "./send.js";

export type { WhatsAppOptions } from "./config.js";

export interface WhatsAppAdapter extends Adapter, CanType, CanReact, CanLink {}

/** How long a disconnect waits for messages being received. */
const DISCONNECT_MS = 2000;
/** Faster senders look like spam to WhatsApp. */
const CHAT_PACE_MS = 300;

export function whatsappAdapter(options: WhatsAppOptions): WhatsAppAdapter {
  return new WhatsApp(settingsOf(options));
}

class WhatsApp implements WhatsAppAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly files?: { maxBytes: number };
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  readonly #sender: Sender;
  #uplink: Uplink | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.account = settings.account;
    if (settings.media) this.files = { maxBytes: MAX_UPLOAD_BYTES };
    const { log, timing } = settings;
    this.#health = new HealthTracker({ label: "WhatsApp", staleMs: 4 * timing.keepAliveMs, log });
    this.#sender = new Sender({ settings, link: () => this.#uplink?.link });
  }

  pace(): { chatMs: number } {
    return { chatMs: CHAT_PACE_MS };
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    const open = await this.#opener();
    if (life.signal.aborted) return;
    const uplink = this.#assemble(events, open, life.signal);
    this.#uplink = uplink;
    this.#running = uplink.run();
    await Promise.race([uplink.tried, pause(this.#settings.timing.patienceMs, life.signal)]);
    if (uplink.refusal) throw uplink.refusal;
  }

  /** Rejects when Baileys isn't installed. */
  async #opener(): Promise<OpenLink> {
    const { home, library, folder, number, linkWith, apiUrl, timing, log } = this.#settings;
    return openBaileys({
      library: await loadLibrary(home, library).catch((error: unknown) => {
        this.#health.trouble("down", `WhatsApp needs the package baileys. ${howToInstall(home)}`);
        throw error;
      }),
      ...{ folder, number, linkWith, url: apiUrl, keepAliveMs: timing.keepAliveMs, callMs: timing.callMs },
      complain: (problem) => log("error", problem),
    });
  }

  #assemble(events: AdapterEvents, open: OpenLink, signal: AbortSignal): Uplink {
    const settings = this.#settings;
    const sender = this.#sender;
    const receiver = new Receiver({
      ...{ settings, signal, link: () => uplink.link },
      events: {
        ...events,
        receive: (message) => events.receive(message),
        edited: (edit) => events.edited(edit),
        deleted: (ref) => {
          sender.forget(ref);
          return events.deleted(ref);
        },
      },
      stuck: (isStuck) =>
        this.#health.issue(
          "inbox",
          isStuck ? "Messages from WhatsApp can't be received now: retrying" : undefined,
        ),
      remember: (message, original) => sender.remember(message, original),
    });
    const uplink = new Uplink({
      ...{ settings, health: this.#health, open, signal },
      events: {
        message: (message, self) => void receiver.take(message, self),
        arrived: (id) => sender.arrived(id),
      },
    });
    return uplink;
  }

  async disconnect(): Promise<void> {
    this.#health.closed();
    this.#life?.abort();
    await settlesWithin(this.#running, DISCONNECT_MS);
  }

  health(): Health {
    return this.#health.read();
  }

  linkCode(): LinkCode | undefined {
    return this.#uplink?.linkCode;
  }

  readonly render = (message: OutboundMessage): WhatsAppPart[] =>
    partsOf(message, this.#settings.replyPrefix);

  sendPart(
    message: OutboundMessage,
    part: WhatsAppPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (!this.#uplink) return Promise.reject(new SendError("never_sent", "Not connected to WhatsApp"));
    return this.#sender.sendPart(message, part, context, signal);
  }

  type(target: Target): void {
    this.#sender.type(target);
  }

  react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    return this.#sender.react(target, state, signal);
  }
}
