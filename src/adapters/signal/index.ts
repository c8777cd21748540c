/** Signal, through a signal-cli daemon: an event stream in, JSON-RPC out. */
import { pause } from "../../backoff.js";
import { SendError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import { settlesWithin } from "../../timeout.js";
import type {
  Adapter,
  AdapterEvents,
  CanReact,
  CanType,
  Health,
  PartContext,
  ReactionState,
} from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { SignalApi } from "./api.js";
import { MAX_UPLOAD_BYTES, type Settings, type SignalOptions, settingsOf } from "./config.js";
import { Uplink } from "./connect.js";
import { PLATFORM } from "./normalise.js";
import { LIMIT } from "./render.js";
import { partsOf, Sender, type SignalPart } from "./send.js";

export type { SignalOptions } from "./config.js";

export interface SignalAdapter extends Adapter, CanReact, CanType {}

/** How long a disconnect waits for messages being received. */
const DISCONNECT_MS = 2000;

export function signalAdapter(options: SignalOptions): SignalAdapter {
  return new Signal(settingsOf(options));
}

class Signal implements SignalAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly files?: { maxBytes: number };
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  #sender: Sender | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.account = settings.account;
    if (settings.media) this.files = { maxBytes: MAX_UPLOAD_BYTES };
    const { log, timing } = settings;
    this.#health = new HealthTracker({ label: "Signal", staleMs: 3 * timing.silenceMs, log });
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    if (life.signal.aborted) return;
    const { number, apiUrl, timing } = this.#settings;
    const api = new SignalApi({ apiUrl, number, timeoutMs: timing.callMs });
    const sender = new Sender(api, this.#settings);
    this.#sender = sender;
    const uplink = new Uplink({
      ...{ api, events, settings: this.#settings, health: this.#health, signal: life.signal },
      isOurs: (timestamp) => sender.isOurs(timestamp),
    });
    this.#running = uplink.run();
    await Promise.race([uplink.tried, pause(timing.patienceMs, life.signal)]);
  }

  /** Stops receiving; answers that are already finished are still sent. */
  async disconnect(): Promise<void> {
    this.#health.closed();
    this.#life?.abort();
    await settlesWithin(this.#running, DISCONNECT_MS);
  }

  health(): Health {
    return this.#health.read();
  }

  readonly render = partsOf;

  async sendPart(
    message: OutboundMessage,
    part: SignalPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (!this.#sender) throw new SendError("never_sent", "Not connected to Signal", { scope: "account" });
    return this.#sender.sendPart(message, part, context, signal);
  }

  async react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    await this.#sender?.react(target, state, signal);
  }

  type(target: Target): void {
    this.#sender?.type(target);
  }
}
