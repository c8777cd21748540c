/** The uplink to Meta: the token is checked periodically, as a proof of life. Messages come by webhook. */
import { pause } from "../../backoff.js";
import type { HealthTracker } from "../kit/health.js";
import { repeat } from "../kit/retry.js";
import type { GraphApi } from "./api.js";
import type { Settings } from "./config.js";
import { isUnauthorized, reasonOf, TOKEN_REFUSED, tokenRefused } from "./faults.js";

export interface UplinkParts {
  api: GraphApi;
  settings: Settings;
  health: HealthTracker;
}

export class Uplink {
  readonly #parts: UplinkParts;

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  /** Rejects when Meta refuses the token; leaves other errors to `run`, which retries. */
  async open(signal: AbortSignal): Promise<void> {
    try {
      await this.#check(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#report(error);
      if (isUnauthorized(error)) throw tokenRefused();
    }
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { settings, health } = this.#parts;
    const { backoff, checkMs } = settings.timing;
    const step = async () => {
      if (health.read().state === "ok") await pause(checkMs, signal);
      if (!signal.aborted) await this.#check(signal);
    };
    await repeat(step, { backoff, signal, onFailure: (error) => this.#report(error) });
  }

  async #check(signal: AbortSignal): Promise<void> {
    await this.#parts.api.number(signal);
    if (!signal.aborted) this.#parts.health.up();
  }

  #report(error: unknown): number | undefined {
    const { health, settings } = this.#parts;
    if (isUnauthorized(error)) {
      health.trouble("down", TOKEN_REFUSED);
      return settings.timing.refusedMs;
    }
    health.trouble("degraded", `WhatsApp can't be reached (${reasonOf(error)}): retrying`);
    return undefined;
  }
}
