/** A platform's health for the operator: its last proof of life, or what is wrong and how to fix it. */
import { monotonicSeconds, nowSeconds } from "../../clock.js";
import type { Health } from "../adapter.js";

export interface HealthOptions {
  /** The platform's display name. */
  label: string;
  /** An uplink without proof of life for this long counts as degraded. */
  staleMs: number;
  log(level: "info" | "warn" | "error", message: string): void;
}

interface Problem {
  state: "degraded" | "down";
  detail: string;
}

/** A problem of a connected platform, or just a note ("ok"). */
interface Issue {
  state: "degraded" | "ok";
  detail: string;
}

export class HealthTracker {
  readonly #options: HealthOptions;
  readonly #issues = new Map<string, Issue>();
  #problem: Problem | undefined;
  #wasUp = false;
  #lastProofAt: number | null = null;
  /** The same moment on a monotonic clock. */
  #provedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.closed();
  }

  /** Connected and working. Clears the problem. */
  up(): void {
    if (this.#problem && this.#wasUp) this.#options.log("info", `${this.#options.label} is back`);
    this.#wasUp = true;
    this.#problem = undefined;
    this.heard();
  }

  /** A proof of life that doesn't clear the problem. */
  heard(): void {
    this.#lastProofAt = nowSeconds();
    this.#provedAt = monotonicSeconds();
  }

  /** Logged once, not on every attempt with the same failure. */
  trouble(state: "degraded" | "down", detail: string): void {
    const known = this.#problem;
    this.#problem = { state, detail };
    if (known?.detail === detail && known.state === state) return;
    this.#options.log(state === "down" ? "error" : "warn", detail);
  }

  /** Sets a problem besides the uplink, or clears it with undefined. Logged when it changes. */
  issue(topic: string, detail: string | undefined, state: Issue["state"] = "degraded"): void {
    const known = this.#issues.get(topic);
    if (detail === undefined) this.#issues.delete(topic);
    else this.#issues.set(topic, { state, detail });
    if (detail !== undefined && known?.detail !== detail) this.#options.log("warn", detail);
  }

  /** Disconnected on purpose: not logged. */
  closed(): void {
    this.#problem = { state: "down", detail: `Not connected to ${this.#options.label}` };
  }

  read(): Health {
    const lastProofAt = this.#lastProofAt;
    if (this.#problem) return { ...this.#problem, lastProofAt };
    const silentSeconds = monotonicSeconds() - this.#provedAt;
    if (silentSeconds * 1000 > this.#options.staleMs) {
      const detail = `No sign of life from ${this.#options.label} for ${Math.round(silentSeconds)} s: check the network`;
      return { state: "degraded", lastProofAt, detail };
    }
    const issues = [...this.#issues.values()];
    const worst = issues.find(({ state }) => state === "degraded") ?? issues[0];
    return { state: "ok", lastProofAt, ...worst };
  }
}
