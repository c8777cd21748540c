/** The uplink to Telegram: getMe until it succeeds, then polling, or checks of the webhook. Ends with its signal. */
import { pause } from "../../backoff.js";
import type { HealthTracker } from "../kit/health.js";
import { repeat, retry } from "../kit/retry.js";
import { networkReason } from "../kit/send-errors.js";
import { asSignal, type TelegramApi } from "./api.js";
import { addressOf, type Settings, type WebhookOptions } from "./config.js";
import { isApiError, isUnauthorized, retryAfterMs, TOKEN_REFUSED, tokenRefused } from "./faults.js";
import { type Self, WANTED_UPDATES } from "./normalise.js";
import type { Prepare } from "./pending-updates.js";
import { Poller } from "./poller.js";

export interface UplinkParts {
  api: TelegramApi;
  settings: Settings;
  health: HealthTracker;
  onSelf(self: Self): void;
  prepare: Prepare;
}

export class Uplink {
  readonly #parts: UplinkParts;

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  /** False if Telegram is unreachable right now; `run` keeps trying. Rejects if the token is refused. */
  async open(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#introduce(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#report(error);
      if (isUnauthorized(error)) throw tokenRefused();
      return false;
    }
  }

  /** Never rejects. */
  async run(isOpen: boolean, signal: AbortSignal): Promise<void> {
    if (!isOpen) await this.#openLater(signal);
    if (signal.aborted) return;
    const { webhook } = this.#parts.settings;
    if (webhook) await this.#watchWebhook(webhook, signal);
    else await new Poller(this.#parts).run(signal);
  }

  async #openLater(signal: AbortSignal): Promise<void> {
    const { backoff } = this.#parts.settings.timing;
    await pause(backoff.firstMs, signal);
    const onFailure = (error: unknown) => this.#report(error);
    // Rejects only if the signal aborts.
    await retry(() => this.#introduce(signal), { backoff, signal, onFailure }).catch(() => undefined);
  }

  async #introduce(signal: AbortSignal): Promise<void> {
    const { api, settings, health, onSelf } = this.#parts;
    const { id, username } = await api.call.getMe(asSignal(signal));
    onSelf({ id, username });
    if (settings.webhook) await this.#setWebhook(settings.webhook, signal);
    // Pending updates are people's questions: keep them.
    else await api.call.deleteWebhook({ drop_pending_updates: false }, asSignal(signal));
    health.up();
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

  /** Webhook calls may be rare, so the proof of life is that Telegram answers and still has our address. */
  async #watchWebhook(webhook: WebhookOptions, signal: AbortSignal): Promise<void> {
    const { api, settings } = this.#parts;
    const { backoff, webhookCheckMs } = settings.timing;
    const check = async () => {
      await pause(webhookCheckMs, signal);
      if (!signal.aborted) this.#judge(await api.call.getWebhookInfo(asSignal(signal)), webhook);
    };
    await repeat(check, { backoff, signal, onFailure: (error) => this.#report(error) });
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
    health.up();
  }

  /** Sets the health; returns the delay that the error calls for, if any. */
  #report(error: unknown): number | undefined {
    const { health, settings } = this.#parts;
    if (isUnauthorized(error)) {
      health.trouble("down", TOKEN_REFUSED);
      return settings.timing.refusedMs;
    }
    const reason = isApiError(error) ? error.description : networkReason(error);
    health.trouble("down", `Telegram can't be reached (${reason}): retrying`);
    return retryAfterMs(error);
  }
}

const WEBHOOK_LOST =
  "Telegram's webhook address is not ours: stop the other program that uses this bot, then restart";
