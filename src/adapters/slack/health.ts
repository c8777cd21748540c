import { monotonicSeconds, nowSeconds } from "../../clock.js";
import type { Health } from "../adapter.js";

const NOT_CONNECTED = "Not connected to Slack";

/** What is known of the connection. Proof is Slack's hello or pong, a delivery, or a call that it answered. */
export class HealthWatch {
  #state: Health["state"] = "down";
  #lastProofAt: number | null = null;
  /** The same moment by a clock that never goes back. */
  #provedAt = Number.NEGATIVE_INFINITY;
  #detail: string | undefined = NOT_CONNECTED;
  /** Something that works, but not as it should. */
  #notice: string | undefined;
  /** Why nothing can be sent. */
  #mute: string | undefined;
  /** Why nothing that is delivered can be believed; null: something was, so the rest isn't Slack's. */
  #forged: string | null | undefined;
  readonly #staleMs: number;

  constructor(staleMs: number) {
    this.#staleMs = staleMs;
  }

  proof(): void {
    this.#lastProofAt = nowSeconds();
    this.#provedAt = monotonicSeconds();
  }

  up(): void {
    this.proof();
    this.#state = "ok";
    this.#detail = undefined;
  }

  trouble(state: "degraded" | "down", detail: string): void {
    this.#state = state;
    this.#detail = detail;
  }

  down(): void {
    this.trouble("down", NOT_CONNECTED);
  }

  notice(text: string | undefined): void {
    this.#notice = text;
  }

  /** Messages come in, but none can go out; undefined: one has. True: that is news. */
  mute(detail: string | undefined): boolean {
    const isNews = detail !== this.#mute;
    this.#mute = detail;
    return isNews;
  }

  /** What came is signed wrongly. True: that is news. */
  forged(detail: string): boolean {
    if (this.#forged !== undefined) return false;
    this.#forged = detail;
    return true;
  }

  signed(): void {
    this.proof();
    this.#forged = null;
  }

  get lastProofAt(): number | null {
    return this.#lastProofAt;
  }

  now(): Health {
    const stale = this.#isStale();
    const fault = this.#mute ?? this.#forged ?? undefined;
    const detail = stale ? "Slack has been silent for too long" : (this.#detail ?? fault ?? this.#notice);
    const impaired = stale || (this.#state === "ok" && fault !== undefined);
    const state = impaired ? "degraded" : this.#state;
    return { state, lastProofAt: this.#lastProofAt, ...(detail === undefined ? {} : { detail }) };
  }

  #isStale(): boolean {
    return this.#state === "ok" && (monotonicSeconds() - this.#provedAt) * 1000 > this.#staleMs;
  }
}
