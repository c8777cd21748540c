/** The uplink to Twilio: checks the account, then polls the list of messages. Ends with its signal. */
import { pause } from "../../backoff.js";
import type { HealthTracker } from "../kit/health.js";
import { repeat } from "../kit/retry.js";
import type { TwilioApi } from "./api.js";
import type { Settings } from "./config.js";
import { isUnauthorized, reasonOf, TOKEN_REFUSED, tokenRefused, waitOf } from "./faults.js";
import { type Gap, NotReceived } from "./gap.js";

export interface UplinkParts {
  api: TwilioApi;
  settings: Settings;
  health: HealthTracker;
  gap: Gap;
}

export class Uplink {
  readonly #parts: UplinkParts;
  #filling: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #wake = new AbortController();

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  /** Rejects when Twilio refuses the credentials; leaves other errors to `run`, which retries. */
  async open(signal: AbortSignal): Promise<void> {
    try {
      await this.#parts.api.account(signal);
      await this.fill(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#report(error);
      if (isUnauthorized(error)) throw tokenRefused();
    }
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { settings } = this.#parts;
    const { backoff } = settings.timing;
    let isFirst = this.#parts.health.read().state !== "ok";
    const step = async () => {
      if (!isFirst) await pause(settings.pollMs, signal, this.#wake.signal);
      isFirst = false;
      this.#wake = new AbortController();
      if (!signal.aborted) await this.fill(signal);
    };
    const onFailure = (error: unknown) => {
      isFirst = true;
      return this.#report(error);
    };
    await repeat(step, { backoff, signal, onFailure });
  }

  /** Something was not received: the list is read now, not only when it is due. */
  hurry(): void {
    this.#wake.abort();
  }

  /** Reads the list as it is from now on: a reading that has already begun doesn't count. */
  fill(signal: AbortSignal): Promise<void> {
    if (!this.#filling) return this.#begin(signal);
    this.#next ??= this.#filling
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#begin(signal);
      });
    return this.#next;
  }

  #begin(signal: AbortSignal): Promise<void> {
    const { gap, health } = this.#parts;
    const filling = gap.fill(signal).then(() => {
      if (!signal.aborted) health.up();
    });
    this.#filling = filling.finally(() => {
      this.#filling = undefined;
    });
    this.#filling.catch(() => undefined);
    return filling;
  }

  #report(error: unknown): number | undefined {
    const { health, settings } = this.#parts;
    if (isUnauthorized(error)) {
      health.trouble("down", TOKEN_REFUSED);
      return settings.timing.refusedMs;
    }
    if (error instanceof NotReceived) {
      health.trouble("degraded", "The inbox doesn't accept messages from Twilio: they are fetched again");
      return undefined;
    }
    const waitMs = waitOf(error);
    if (waitMs !== undefined) return waitMs;
    health.trouble("degraded", `Twilio's list of messages can't be read (${reasonOf(error)}): retrying`);
    return undefined;
  }
}
