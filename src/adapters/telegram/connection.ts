/** The way to Telegram: says hello until it is heard, then polls, or keeps an eye on the webhook. Ends with its signal. */
import { asSignal, type TelegramApi } from "./api.js";
import { Backoff, pause } from "./backoff.js";
import { addressOf, type Settings, type WebhookOptions } from "./config.js";
import {
  isApiError,
  isUnauthorized,
  networkReason,
  retryAfterMs,
  TOKEN_REFUSED,
  tokenRefused,
} from "./faults.js";
import type { HealthBook } from "./health.js";
import { type Self, WANTED_UPDATES } from "./normalise.js";
import { Poller } from "./poller.js";
import type { Prepare } from "./underway.js";

export interface ConnectionParts {
  api: TelegramApi;
  settings: Settings;
  health: HealthBook;
  greeted(self: Self): void;
  prepare: Prepare;
}

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #backoff: Backoff;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { backoffMs, longestBackoffMs } = parts.settings.timing;
    this.#backoff = new Backoff(backoffMs, longestBackoffMs);
  }

  /** Rejects where only another token helps; an outage is waited for in `run`. */
  async tryHello(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#hello(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#note(error);
      if (isUnauthorized(error)) throw tokenRefused();
      return false;
    }
  }

  /** Never rejects. */
  async run(greeted: boolean, signal: AbortSignal): Promise<void> {
    if (!greeted) await this.#helloUntilHeard(signal);
    const { webhook } = this.#parts.settings;
    if (webhook) await this.#watchWebhook(webhook, signal);
    else await new Poller(this.#parts).run(signal);
  }

  async #helloUntilHeard(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#backoff.nextMs(), signal);
      try {
        return await this.#hello(signal);
      } catch (error) {
        if (!signal.aborted) await pause(this.#note(error), signal);
      }
    }
  }

  async #hello(signal: AbortSignal): Promise<void> {
    const { api, settings, health, greeted } = this.#parts;
    const { id, username } = await api.call.getMe(asSignal(signal));
    greeted({ id, username });
    if (settings.webhook) await this.#setWebhook(settings.webhook, signal);
    // What waits there stays: it is somebody's question.
    else await api.call.deleteWebhook({ drop_pending_updates: false }, asSignal(signal));
    health.proved();
  }

  async #setWebhook({ publicUrl, path, secret }: WebhookOptions, signal: AbortSignal): Promise<void> {
    if (publicUrl === undefined) return;
    const options = {
      secret_token: secret,
      allowed_updates: WANTED_UPDATES,
      drop_pending_updates: false,
    };
    await this.#parts.api.call.setWebhook(addressOf(publicUrl, path), options, asSignal(signal));
  }

  /** Calls may be rare; that Telegram answers, and still knows our address, is the proof. */
  async #watchWebhook(webhook: WebhookOptions, signal: AbortSignal): Promise<void> {
    const { api, settings } = this.#parts;
    while (!signal.aborted) {
      await pause(settings.timing.webhookCheckMs, signal);
      if (signal.aborted) return;
      try {
        this.#judge(await api.call.getWebhookInfo(asSignal(signal)), webhook);
      } catch (error) {
        if (!signal.aborted) await pause(this.#note(error), signal);
      }
    }
  }

  #judge(
    info: { url?: string; last_error_message?: string; pending_update_count: number },
    webhook: WebhookOptions,
  ) {
    const { health } = this.#parts;
    const { publicUrl, path } = webhook;
    if (!info.url || (publicUrl !== undefined && info.url !== addressOf(publicUrl, path)))
      return health.trouble("down", WEBHOOK_LOST);
    if (info.pending_update_count > 0 && info.last_error_message)
      return health.trouble("degraded", `Telegram can't deliver to the webhook: ${info.last_error_message}`);
    health.proved();
  }

  /** Tells the operator; gives the pause that it calls for. */
  #note(error: unknown): number {
    const { health, settings } = this.#parts;
    if (isUnauthorized(error)) {
      health.trouble("down", TOKEN_REFUSED);
      return settings.timing.refusedMs;
    }
    const reason = isApiError(error) ? error.description : networkReason(error);
    health.trouble("down", `Telegram can't be reached (${reason}): trying again`);
    return retryAfterMs(error) ?? 0;
  }
}

const WEBHOOK_LOST =
  "Telegram has another webhook address than ours, or none: stop the other program that uses this bot, then restart";
