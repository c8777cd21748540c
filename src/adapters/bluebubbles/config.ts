/** Options of the BlueBubbles adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import { withoutTrailing } from "../../trailing.js";
import type { PlatformLog } from "../platform.js";

export interface BlueBubblesOptions {
  /** The server's address on the Mac. */
  apiUrl: string;
  password: string;
  /** Identifies this bot in the inbox and the outbox. Must not change. */
  account?: string;
  /** Our webhook as the Mac reaches it; left out: messages are only fetched. */
  webhookUrl?: string | undefined;
  /** Where on our HTTP port the server's calls arrive. */
  webhookPath?: string;
  /** Interval between checks for messages whose webhook call didn't arrive. */
  pollSeconds?: number | undefined;
  /** Which parts of an answer quote the question. */
  replyToMode?: "first" | "all" | "off";
  readReceipts?: boolean;
  /** Missed messages that are older aren't answered; 0 disables catching up. */
  catchUpMaxAgeSeconds?: number;
  /** If missing, files are mentioned in messages but neither fetched nor sent. */
  media?: IncomingMedia | undefined;
  /** Never gets the password or an address of a person. */
  log?: PlatformLog;
  timing?: Partial<Timing>;
}

export interface Timing {
  callMs: number;
  /** The server answers when the message is in the Mac's database, or after two minutes. */
  sendMs: number;
  transferMs: number;
  /** How long a webhook call waits for the messages to be read. */
  nudgeMs: number;
  /** The Mac may still send a message without an answer within this time. */
  settleMs: number;
  /** Interval between checks of what the server can do: the Private API comes and goes with the Messages app. */
  greetMs: number;
  backoff: BackoffLimits;
  /** Interval between checks of a password that was refused. */
  refusedMs: number;
}

const DEFAULT_TIMING: Timing = {
  callMs: 15_000,
  sendMs: 130_000,
  transferMs: 120_000,
  nudgeMs: 5000,
  settleMs: 10_000,
  greetMs: 60_000,
  backoff: { firstMs: 500, maxMs: 30_000 },
  refusedMs: 300_000,
};

/** iMessage's own limit. */
export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;
const POLL_SECONDS = { behindWebhook: 30, alone: 3 };

export interface Settings
  extends Required<Omit<BlueBubblesOptions, "timing" | "media" | "webhookUrl" | "pollSeconds">> {
  webhookUrl: string | null;
  pollMs: number;
  media: IncomingMedia | undefined;
  timing: Timing;
}

export function settingsOf(options: BlueBubblesOptions): Settings {
  const { apiUrl, webhookUrl } = options;
  if (!URL.canParse(apiUrl))
    throw new HermesError("invalid", "The address of the BlueBubbles server can't be read", {
      hint: "Set BLUEBUBBLES_SERVER_URL to an address such as http://192.168.1.20:1234.",
    });
  const seconds = webhookUrl === undefined ? POLL_SECONDS.alone : POLL_SECONDS.behindWebhook;
  return {
    apiUrl: withoutTrailing(apiUrl, "/"),
    password: options.password,
    account: options.account ?? "bluebubbles",
    webhookUrl: webhookUrl ?? null,
    webhookPath: options.webhookPath ?? "/bluebubbles-webhook",
    pollMs: 1000 * (options.pollSeconds ?? seconds),
    replyToMode: options.replyToMode ?? "first",
    readReceipts: options.readReceipts ?? true,
    catchUpMaxAgeSeconds: options.catchUpMaxAgeSeconds ?? 86_400,
    media: options.media,
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
