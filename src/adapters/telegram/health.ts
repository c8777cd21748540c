/** What the operator should know: the last proof of life, or the one thing that is wrong and its fix. */
import { monotonicSeconds, nowSeconds } from "../../clock.js";
import type { Health } from "../adapter.js";
import type { TelegramLog } from "./config.js";

export class HealthBook {
  readonly #log: TelegramLog;
  readonly #staleSeconds: number;
  #lastProofAt: number | null = null;
  /** The same moment by a clock that never goes back. */
  #provedAt = Number.NEGATIVE_INFINITY;
  #trouble: { state: "degraded" | "down"; detail: string } | undefined = {
    state: "down",
    detail: "Telegram is not connected",
  };

  constructor(log: TelegramLog, staleSeconds: number) {
    this.#log = log;
    this.#staleSeconds = staleSeconds;
  }

  proved(): void {
    if (this.#trouble && this.#lastProofAt !== null) this.#log("info", "Telegram is back");
    this.#trouble = undefined;
    this.heard();
  }

  /** A sign of life that doesn't end the trouble. */
  heard(): void {
    this.#lastProofAt = nowSeconds();
    this.#provedAt = monotonicSeconds();
  }

  /** One line each time that something else is wrong, not one an attempt. */
  trouble(state: "degraded" | "down", detail: string): void {
    const known = this.#trouble;
    this.#trouble = { state, detail };
    if (known?.detail === detail && known.state === state) return;
    this.#log(state === "down" ? "error" : "warn", detail);
  }

  closed(): void {
    this.#trouble = { state: "down", detail: "Telegram is not connected" };
  }

  read(): Health {
    const lastProofAt = this.#lastProofAt;
    if (this.#trouble) return { ...this.#trouble, lastProofAt };
    const silentSeconds = monotonicSeconds() - this.#provedAt;
    if (silentSeconds <= this.#staleSeconds) return { state: "ok", lastProofAt };
    const detail = `No sign of life from Telegram for ${Math.round(silentSeconds)} s: check the network`;
    return { state: "degraded", lastProofAt, detail };
  }
}
