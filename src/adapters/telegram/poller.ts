/** getUpdates → each update received → only then the offset that confirms it. */
import type { Update } from "grammy/types";
import { pause } from "../../backoff.js";
import { settlesWithin } from "../../timeout.js";
import type { HealthTracker } from "../kit/health.js";
import { repeat } from "../kit/retry.js";
import { networkReason } from "../kit/send-errors.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { Settings } from "./config.js";
import {
  isApiError,
  isUnauthorized,
  mentions,
  retryAfterMs,
  SECOND_POLLER,
  TOKEN_REFUSED,
  WEBHOOK_ELSEWHERE,
} from "./faults.js";
import { WANTED_UPDATES } from "./normalise.js";
import { PendingUpdates, type Prepare } from "./pending-updates.js";

export interface PollerParts {
  api: TelegramApi;
  settings: Settings;
  health: HealthTracker;
  prepare: Prepare;
}

const BATCH = 100;
const MIN_HOLD_MS = 100;

export class Poller {
  readonly #parts: PollerParts;
  readonly #pending: PendingUpdates;
  /**
   * Confirms all updates below it; sent once. Telegram forgets those then, so the next polls need no offset. An old offset
   * would even hide updates: after a quiet week ids may continue lower.
   */
  #offset: number | undefined;
  /** When another poller was first and last noticed. */
  #conflict: { sinceMs: number; lastMs: number } | undefined;
  /** The next poll doesn't wait for updates, so that a recovery shows at once. */
  #quick = false;

  constructor(parts: PollerParts) {
    this.#parts = parts;
    this.#pending = new PendingUpdates(parts.prepare);
  }

  /** Until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { backoff } = this.#parts.settings.timing;
    const onFailure = (error: unknown) => this.#afterFailure(error);
    await repeat(() => this.#pollOnce(signal), { backoff, signal, onFailure });
    await this.#pending.idle();
  }

  async #pollOnce(signal: AbortSignal): Promise<void> {
    const { health, settings } = this.#parts;
    const startMs = performance.now();
    const timeoutSeconds = this.#timeoutSeconds();
    const updates = await this.#getUpdates(timeoutSeconds, signal);
    this.#offset = undefined;
    this.#quick = false;
    health.heard();
    await this.#receive(updates.toSorted((a, b) => a.update_id - b.update_id));
    // Polls can succeed between two 409s, so one success doesn't clear the conflict.
    if (!this.#inConflict() && !signal.aborted) health.up();
    // Some servers don't hold polls: don't ask them without a pause.
    const held = timeoutSeconds === 0 || updates.length > 0 || performance.now() - startMs > MIN_HOLD_MS;
    if (!held) await pause(settings.timing.backoff.firstMs, signal);
  }

  #getUpdates(timeout: number, signal: AbortSignal): Promise<Update[]> {
    const confirmed = this.#offset === undefined ? {} : { offset: this.#offset };
    return this.#parts.api.poll.getUpdates(
      { ...confirmed, limit: BATCH, timeout, allowed_updates: WANTED_UPDATES },
      asSignal(signal),
    );
  }

  #timeoutSeconds(): number {
    const { pollSeconds, conflictMs } = this.#parts.settings.timing;
    // With unconfirmed updates Telegram answers at once anyway.
    if (this.#quick || !this.#pending.isIdle) return 0;
    return this.#inConflict() ? Math.min(pollSeconds, Math.ceil(conflictMs / 1000)) : pollSeconds;
  }

  #inConflict(): boolean {
    const { conflictMs } = this.#parts.settings.timing;
    return this.#conflict !== undefined && performance.now() - this.#conflict.lastMs < conflictMs;
  }

  /** Doesn't block on slow downloads: the next poll runs while they finish. */
  async #receive(updates: readonly Update[]): Promise<void> {
    this.#pending.add(updates);
    await settlesWithin(this.#pending.idle(), this.#parts.settings.timing.besideFilesMs);
    this.#offset = this.#pending.confirm(updates);
    const [failure] = this.#pending.failures();
    if (failure !== undefined) throw new NotReceived(failure);
  }

  /** Updates the health; returns a delay to use in place of the backoff's, if any. */
  #afterFailure(error: unknown): number | undefined {
    const { health, settings } = this.#parts;
    if (error instanceof NotReceived) {
      health.trouble("degraded", "The inbox doesn't accept messages from Telegram: they stay pending there");
      return undefined;
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
    health.trouble("degraded", `Telegram can't be reached (${reason}): retrying`);
    return undefined;
  }

  /** A poll that our own crash left behind ends by itself within a minute; a longer conflict is another program's. */
  #afterConflict(error: unknown): undefined {
    const { health, settings } = this.#parts;
    if (mentions(error, "webhook is active")) {
      this.#quick = true;
      health.trouble("down", WEBHOOK_ELSEWHERE);
      return;
    }
    const now = performance.now();
    const sinceMs = this.#inConflict() ? this.#conflict!.sinceMs : now;
    this.#conflict = { sinceMs, lastMs: now };
    const isLasting = now - sinceMs >= settings.timing.conflictMs;
    health.trouble(isLasting ? "down" : "degraded", SECOND_POLLER);
  }
}

class NotReceived extends Error {
  constructor(cause: unknown) {
    super("an update was not received", { cause });
  }
}
