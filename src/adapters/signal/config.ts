/** Options of the Signal adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import { withoutTrailing } from "../../trailing.js";
import type { PlatformLog } from "../platform.js";

export interface SignalOptions {
  /** The bot's phone number, +… */
  number: string;
  /** The address of the signal-cli daemon. */
  apiUrl?: string;
  /** Identifies this bot in the inbox and the outbox. Must not change. */
  account?: string;
  replyToMode?: "first" | "all" | "off";
  sendReadReceipts?: boolean;
  /** If missing, files are mentioned in messages but neither fetched nor sent. */
  media?: IncomingMedia | undefined;
  log?: PlatformLog;
  timing?: Partial<Timing>;
}

export interface Timing {
  callMs: number;
  /** A send with files, and the download of one. */
  filesMs: number;
  /** From asking for the stream to its first byte: older versions of signal-cli send that late. */
  openMs: number;
  /** The stream has a sign of life every 15 seconds; after twice this time without one it is opened again. */
  silenceMs: number;
  stableMs: number;
  closeMs: number;
  backoff: BackoffLimits;
  /** Delay after the inbox refused a message. */
  receiveRetry: BackoffLimits;
  /** Delay between attempts with an account that signal-cli doesn't know. */
  refusedMs: number;
  patienceMs: number;
}

const DEFAULT_TIMING: Timing = {
  callMs: 30_000,
  filesMs: 60_000,
  openMs: 40_000,
  silenceMs: 30_000,
  stableMs: 10_000,
  closeMs: 500,
  backoff: { firstMs: 1000, maxMs: 60_000 },
  receiveRetry: { firstMs: 100, maxMs: 30_000 },
  refusedMs: 300_000,
  patienceMs: 15_000,
};

/** Files are part of a JSON text, a third larger than they are. */
export const MAX_UPLOAD_BYTES = 20 * 1024 * 1024;

export interface Settings extends Required<Omit<SignalOptions, "timing" | "media">> {
  media: IncomingMedia | undefined;
  timing: Timing;
}

export function settingsOf(options: SignalOptions): Settings {
  if (!/^\+\d{5,15}$/.test(options.number))
    throw new HermesError("invalid", "This is not a phone number with its country code", {
      hint: "Set SIGNAL_ACCOUNT to the bot's number, such as +4915112345678.",
    });
  return {
    number: options.number,
    apiUrl: withoutTrailing(options.apiUrl ?? "http://127.0.0.1:8080", "/"),
    account: options.account ?? "signal",
    replyToMode: options.replyToMode ?? "first",
    sendReadReceipts: options.sendReadReceipts ?? true,
    media: options.media,
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
