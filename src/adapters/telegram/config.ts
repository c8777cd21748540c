/** What the Telegram adapter has to be told; the rest has defaults here. */
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import { withoutTrailing } from "../../trailing.js";
import { accountOf } from "./ids.js";

export interface TelegramOptions {
  token: string;
  /** Address of the Bot API server. */
  apiRoot?: string;
  /** Which parts of an answer quote the question. */
  replyToMode?: ReplyToMode;
  /** Telegram takes twenty; 0: as many as there are, until it makes us wait. */
  groupMessagesPerMinute?: number;
  /** Set: Telegram calls us instead of being polled. */
  webhook?: WebhookOptions;
  /** Left out: files are named in messages, but neither fetched nor sent. */
  media?: IncomingMedia;
  /** What an operator should read; never a token. */
  log?: TelegramLog;
  timing?: Partial<Timing>;
}

export type ReplyToMode = "first" | "all" | "off";

export interface WebhookOptions {
  /** Comes with every call; 1-256 of A-Z, a-z, 0-9, _ and -. */
  secret: string;
  /** Where on our server, e.g. `/telegram/webhook`. */
  path: string;
  /** Our server as Telegram reaches it. Left out: the operator has told Telegram the address. */
  publicUrl?: string;
}

export type TelegramLog = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

export interface Timing {
  /** How long Telegram holds a poll that has nothing to say. */
  pollSeconds: number;
  /** Past this, a poll that Telegram should have ended is dead. */
  pollGraceMs: number;
  /** How long anything else may take. */
  callMs: number;
  uploadMs: number;
  downloadMs: number;
  /** Between two polls while files are fetched. */
  besideFilesMs: number;
  /** The first and the longest pause after a failure. */
  backoffMs: number;
  longestBackoffMs: number;
  /** Between two looks at a token that was refused. */
  refusedMs: number;
  /** A second poller for this long is no leftover of a crash. */
  conflictMs: number;
  /** Between two looks at the state of our webhook. */
  webhookCheckMs: number;
}

export const DEFAULT_TIMING: Timing = {
  pollSeconds: 25,
  pollGraceMs: 10_000,
  callMs: 20_000,
  uploadMs: 55_000,
  downloadMs: 60_000,
  besideFilesMs: 500,
  backoffMs: 500,
  longestBackoffMs: 30_000,
  refusedMs: 300_000,
  conflictMs: 60_000,
  webhookCheckMs: 60_000,
};

const DEFAULT_API = "https://api.telegram.org";
/** What Telegram's own servers take. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

export interface Settings {
  token: string;
  account: string;
  apiRoot: string;
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
    throw new HermesError("invalid", "This is no Telegram bot token", {
      hint: "A token looks like 123456:ABC…; @BotFather gives it out. Set TELEGRAM_BOT_TOKEN.",
    });
  if (options.webhook) checkWebhook(options.webhook);
  return {
    token: options.token,
    account,
    apiRoot: withoutTrailing(options.apiRoot ?? DEFAULT_API, "/"),
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
