/** Home Assistant: a WebSocket for state changes, REST for missed changes and notifications. */
import { pause } from "../../backoff.js";
import { SendError } from "../../errors.js";
import type { OutboundMessage } from "../../message.js";
import { settlesWithin } from "../../timeout.js";
import type { Adapter, AdapterEvents, Health, PartContext } from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { HomeAssistantApi, isUnauthorized, reasonOf, TOKEN_REFUSED, tokenRefused } from "./api.js";
import { type HomeAssistantOptions, type Settings, settingsOf } from "./config.js";
import { Uplink } from "./connect.js";
import { PLATFORM } from "./normalise.js";
import { type HomeAssistantPart, LIMIT, partsOf } from "./render.js";
import { Sender } from "./send.js";

export type { HomeAssistantOptions } from "./config.js";

/** How long a disconnect waits for messages being received. */
const DISCONNECT_MS = 2000;

export function homeAssistantAdapter(options: HomeAssistantOptions): Adapter {
  return new HomeAssistant(settingsOf(options));
}

class HomeAssistant implements Adapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly unattended = true;
  readonly #settings: Settings;
  readonly #health: HealthTracker;
  #sender: Sender | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.account = settings.account;
    const { pingMs, callMs } = settings.timing;
    const { log } = settings;
    this.#health = new HealthTracker({ label: "Home Assistant", staleMs: 3 * pingMs + callMs, log });
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    if (life.signal.aborted) return;
    const { token, apiUrl, timing } = this.#settings;
    const api = new HomeAssistantApi({ apiUrl, token, timeoutMs: timing.callMs });
    await this.#introduce(api, life);
    if (life.signal.aborted) return;
    this.#sender = new Sender(api, this.#settings);
    const parts = { api, events, settings: this.#settings, health: this.#health, signal: life.signal };
    const uplink = new Uplink(parts);
    this.#running = uplink.run();
    await Promise.race([uplink.tried, pause(timing.patienceMs, life.signal)]);
  }

  /** Rejects when the token is refused; retries other errors in the background. */
  async #introduce(api: HomeAssistantApi, life: AbortController): Promise<void> {
    try {
      await api.check(life.signal);
    } catch (error) {
      if (life.signal.aborted) return;
      if (isUnauthorized(error)) {
        life.abort();
        this.#health.trouble("down", TOKEN_REFUSED);
        throw tokenRefused();
      }
      this.#health.trouble("degraded", `Home Assistant can't be reached (${reasonOf(error)}): retrying`);
    }
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
    part: HomeAssistantPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (!this.#sender)
      throw new SendError("never_sent", "Not connected to Home Assistant", { scope: "account" });
    return this.#sender.sendPart(message, part, context, signal);
  }
}
