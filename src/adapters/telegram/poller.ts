/** getUpdates → each update taken in → only then the offset that confirms it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Update } from "grammy/types";
import { asSignal, type TelegramApi } from "./api.js";
import { Backoff, pause } from "./backoff.js";
import type { Settings } from "./config.js";
import {
  isApiError,
  isUnauthorized,
  networkReason,
  retryAfterMs,
  SECOND_POLLER,
  says,
  TOKEN_REFUSED,
  WEBHOOK_ELSEWHERE,
} from "./faults.js";
import type { HealthBook } from "./health.js";
import { WANTED_UPDATES } from "./normalise.js";
import { type Prepare, Underway } from "./underway.js";

export interface PollerParts {
  api: TelegramApi;
  settings: Settings;
  health: HealthBook;
  prepare: Prepare;
}

const BATCH = 100;
const LEAST_HOLD_MS = 100;

export class Poller {
  readonly #parts: PollerParts;
  readonly #backoff: Backoff;
  readonly #underway: Underway;
  /**
   * Confirms everything below it; sent once. After that Telegram has forgotten those, and asking without one is the same,
   * except after a quiet week, when ids go on anywhere, even lower.
   */
  #offset: number | undefined;
  /** When another poller was first and last felt. */
  #conflict: { sinceMs: number; lastMs: number } | undefined;
  /** The next poll comes back at once: that Telegram is there again should be known now, not after a long silence. */
  #quick = false;

  constructor(parts: PollerParts) {
    this.#parts = parts;
    this.#underway = new Underway(parts.prepare);
    const { backoffMs, longestBackoffMs } = parts.settings.timing;
    this.#backoff = new Backoff(backoffMs, longestBackoffMs);
  }

  /** Until the signal; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#pollOnce(signal);
        this.#backoff.reset();
      } catch (error) {
        if (!signal.aborted) await pause(this.#afterFailure(error), signal);
      }
    }
    await this.#underway.settled();
  }

  async #pollOnce(signal: AbortSignal): Promise<void> {
    const { health, settings } = this.#parts;
    const startMs = performance.now();
    const timeoutSeconds = this.#timeoutSeconds();
    const updates = await this.#getUpdates(timeoutSeconds, signal);
    this.#offset = undefined;
    this.#quick = false;
    health.heard();
    await this.#take(updates.toSorted((a, b) => a.update_id - b.update_id));
    // Between two conflicts some polls go well: that is not the end of them.
    if (!this.#inConflict() && !signal.aborted) health.proved();
    // A server that doesn't hold polls is asked at our pace.
    const held = timeoutSeconds === 0 || updates.length > 0 || performance.now() - startMs > LEAST_HOLD_MS;
    if (!held) await pause(settings.timing.backoffMs, signal);
  }

  #getUpdates(timeout: number, signal: AbortSignal): Promise<Update[]> {
    const asked = this.#offset === undefined ? {} : { offset: this.#offset };
    return this.#parts.api.poll.getUpdates(
      { ...asked, limit: BATCH, timeout, allowed_updates: WANTED_UPDATES },
      asSignal(signal),
    );
  }

  #timeoutSeconds(): number {
    const { pollSeconds, conflictMs } = this.#parts.settings.timing;
    // With something open Telegram answers at once anyway.
    if (this.#quick || !this.#underway.isIdle) return 0;
    return this.#inConflict() ? Math.min(pollSeconds, Math.ceil(conflictMs / 1000)) : pollSeconds;
  }

  #inConflict(): boolean {
    const { conflictMs } = this.#parts.settings.timing;
    return this.#conflict !== undefined && performance.now() - this.#conflict.lastMs < conflictMs;
  }

  /** Waits for files only a moment: what others write meanwhile is asked for beside them. */
  async #take(updates: readonly Update[]): Promise<void> {
    this.#underway.begin(updates);
    const moment = sleep(this.#parts.settings.timing.besideFilesMs, undefined, { ref: false });
    await Promise.race([this.#underway.settled(), moment]);
    this.#offset = this.#underway.confirm(updates);
    const [failure] = this.#underway.failures();
    if (failure !== undefined) throw new NotTaken(failure);
  }

  /** How long to wait, and what to tell the operator. */
  #afterFailure(error: unknown): number {
    const { health, settings } = this.#parts;
    if (error instanceof NotTaken) {
      health.trouble("degraded", "The inbox doesn't take messages from Telegram: they wait there");
      return this.#backoff.nextMs();
    }
    if (isApiError(error) && error.error_code === 409) return this.#afterConflict(error);
    this.#quick = true;
    if (isUnauthorized(error)) {
      health.trouble("down", TOKEN_REFUSED);
      return settings.timing.refusedMs;
    }
    const waitMs = retryAfterMs(error);
    if (waitMs !== undefined) return waitMs;
    const reason = isApiError(error) ? error.description : networkReason(error);
    health.trouble("degraded", `Telegram can't be reached (${reason}): trying again`);
    return this.#backoff.nextMs();
  }

  /** A poll of ours that a crash left behind ends by itself; what goes on for a minute is somebody else's. */
  #afterConflict(error: unknown): number {
    const { health, settings } = this.#parts;
    if (says(error, "webhook is active")) {
      this.#quick = true;
      health.trouble("down", WEBHOOK_ELSEWHERE);
      return this.#backoff.nextMs();
    }
    const now = performance.now();
    const sinceMs = this.#inConflict() ? this.#conflict!.sinceMs : now;
    this.#conflict = { sinceMs, lastMs: now };
    const lasting = now - sinceMs >= settings.timing.conflictMs;
    health.trouble(lasting ? "down" : "degraded", SECOND_POLLER);
    return this.#backoff.nextMs();
  }
}

class NotTaken extends Error {
  constructor(cause: unknown) {
    super("an update was not taken", { cause });
  }
}
