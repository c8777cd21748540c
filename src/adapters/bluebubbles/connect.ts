/** The uplink to the server: its features, our webhook, and the polling loop. Ends with its signal. */
import { pause } from "../../backoff.js";
import { FreshRun } from "../kit/fresh-run.js";
import type { HealthTracker } from "../kit/health.js";
import { repeat } from "../kit/retry.js";
import type { BlueBubblesApi } from "./api.js";
import type { Settings } from "./config.js";
import { isUnauthorized, PASSWORD_REFUSED, passwordRefused, reasonOf } from "./faults.js";
import { NotReceived, type Receiver } from "./receive.js";
import { register } from "./webhook.js";

export interface UplinkParts {
  api: BlueBubblesApi;
  settings: Settings;
  health: HealthTracker;
  receiver: Receiver;
  signal: AbortSignal;
}

export class Uplink {
  readonly #parts: UplinkParts;
  #hasPrivateApi = false;
  #greetedAtMs = Number.NEGATIVE_INFINITY;
  readonly #filling = new FreshRun(() => this.#read());
  #wake = new AbortController();

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  /** Typing, read receipts, replies and tapbacks work now. */
  get hasPrivateApi(): boolean {
    return this.#hasPrivateApi;
  }

  /** Rejects when the server refuses the password; leaves other errors to `run`, which retries. */
  async open(): Promise<void> {
    try {
      await this.#step();
    } catch (error) {
      if (this.#parts.signal.aborted) return;
      this.#report(error);
      if (isUnauthorized(error)) throw passwordRefused();
    }
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { settings, signal, health } = this.#parts;
    let isDue = health.read().state !== "ok";
    const step = async () => {
      if (!isDue) await pause(settings.pollMs, signal, this.#wake.signal);
      isDue = false;
      this.#wake = new AbortController();
      if (!signal.aborted) await this.#step();
    };
    const onFailure = (error: unknown) => {
      isDue = true;
      // The server may have been restarted, or replaced.
      this.#greetedAtMs = Number.NEGATIVE_INFINITY;
      return this.#report(error);
    };
    await repeat(step, { backoff: settings.timing.backoff, signal, onFailure });
  }

  /** Something was not received: the messages are read now, not only when it is due. */
  hurry(): void {
    this.#wake.abort();
  }

  async #step(): Promise<void> {
    const { greetMs } = this.#parts.settings.timing;
    if (performance.now() - this.#greetedAtMs > greetMs) await this.#greet();
    await this.fill();
  }

  async #greet(): Promise<void> {
    const { api, settings, signal } = this.#parts;
    const { webhookUrl, password } = settings;
    this.#hasPrivateApi = (await api.info(signal)).privateApi;
    if (webhookUrl !== null) await register(api, webhookUrl, password, signal);
    this.#greetedAtMs = performance.now();
  }

  /** Reads the messages as they are from now on. */
  fill(): Promise<void> {
    return this.#filling.run();
  }

  async #read(): Promise<void> {
    const { receiver, health, signal } = this.#parts;
    await receiver.fill();
    if (!signal.aborted) health.up();
  }

  #report(error: unknown): number | undefined {
    const { health, settings } = this.#parts;
    if (isUnauthorized(error)) {
      health.trouble("down", PASSWORD_REFUSED);
      return settings.timing.refusedMs;
    }
    const reason =
      error instanceof NotReceived
        ? "The inbox doesn't accept messages from BlueBubbles: they are fetched again"
        : `BlueBubbles can't be reached (${reasonOf(error)}): retrying`;
    health.trouble("degraded", reason);
    return undefined;
  }
}
