/** Options of the Telegram adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import { withoutTrailing } from "../../trailing.js";
import { accountOf } from "./ids.js";

export interface TelegramOptions {
  token: string;
  /** Address of the Bot API server. */
  apiUrl?: string;
  /** Which parts of an answer quote the question. */
  replyToMode?: ReplyToMode;
  /** Telegram's own limit is 20; 0: no limit until Telegram asks to wait. */
  groupMessagesPerMinute?: number;
  /** Set: Telegram calls us instead of being polled. */
  webhook?: WebhookOptions;
  /** If missing, files are mentioned in messages but neither fetched nor sent. */
  media?: IncomingMedia;
  /** Never gets a token. */
  log?: TelegramLog;
  timing?: Partial<Timing>;
}

export type ReplyToMode = "first" | "all" | "off";

export interface WebhookOptions {
  /** Comes with every call; 1-256 of A-Z, a-z, 0-9, _ and -. */
  secret: string;
  /** The path on our server, e.g. `/telegram/webhook`. */
  path: string;
  /** Our server as Telegram reaches it. Left out: the operator has set the webhook at Telegram. */
  publicUrl?: string;
}

export type TelegramLog = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

export interface Timing {
  /** How long Telegram holds a poll without updates. */
  pollSeconds: number;
  /** A poll that lasts this much longer is dead. */
  pollGraceMs: number;
  /** Timeout of all other calls without files. */
  callMs: number;
  uploadMs: number;
  downloadMs: number;
  /** How long a poll's updates are waited for before the next poll, while files are downloaded. */
  besideFilesMs: number;
  /** After failures. */
  backoff: BackoffLimits;
  /** Interval between checks of a token that was refused. */
  refusedMs: number;
  /** A second poller for this long isn't left over from a crash of ours. */
  conflictMs: number;
  /** Interval between checks of our webhook. */
  webhookCheckMs: number;
}

const DEFAULT_TIMING: Timing = {
  pollSeconds: 25,
  pollGraceMs: 10_000,
  callMs: 20_000,
  uploadMs: 55_000,
  downloadMs: 60_000,
  besideFilesMs: 500,
  backoff: { firstMs: 500, maxMs: 30_000 },
  refusedMs: 300_000,
  conflictMs: 60_000,
  webhookCheckMs: 60_000,
};

const DEFAULT_API_URL = "https://api.telegram.org";
/** The limit of Telegram's own servers. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

export interface Settings {
  token: string;
  account: string;
  apiUrl: string;
  replyToMode: ReplyToMode;
  groupMessagesPerMinute: number;
  webhook: WebhookOptions | null;
  media: IncomingMedia | null;
  log: TelegramLog;
  timing: Timing;
}

export function settingsOf(options: TelegramOptions): Settings {
  const account = accountOf(options.token);
  if (account === undefined)
    throw new HermesError("invalid", "This is not a Telegram bot token", {
      hint: "A token looks like 123456:ABC…; @BotFather issues it. Set TELEGRAM_BOT_TOKEN.",
    });
  if (options.webhook) checkWebhook(options.webhook);
  return {
    token: options.token,
    account,
    apiUrl: withoutTrailing(options.apiUrl ?? DEFAULT_API_URL, "/"),
    replyToMode: options.replyToMode ?? "first",
    groupMessagesPerMinute: options.groupMessagesPerMinute ?? 20,
    webhook: options.webhook ?? null,
    media: options.media ?? null,
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}

export function checkWebhook({ secret, path }: WebhookOptions): void {
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(secret))
    throw new HermesError("invalid", "A Telegram webhook needs a secret", {
      hint: "Set platforms.telegram.webhook.secret to 1-256 letters, digits, _ or -, e.g. from `openssl rand -hex 32`.",
    });
  if (!path.startsWith("/"))
    throw new HermesError("invalid", `A webhook's path begins with a slash, unlike ${path}`);
}

/** Our webhook as Telegram calls it. */
export function addressOf(publicUrl: string, path: string): string {
  return withoutTrailing(publicUrl, "/") + path;
}
