/** Options of the SMS adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import { withoutTrailing } from "../../trailing.js";
import { isNumber } from "./ids.js";

export interface SmsOptions {
  accountSid: string;
  authToken: string;
  /** Our number. */
  phoneNumber: string;
  /** Sends in place of the number. */
  messagingServiceSid?: string | undefined;
  /** Our webhook exactly as it is set at Twilio; left out: messages are only fetched. */
  webhookUrl?: string | undefined;
  /** Where on our HTTP port Twilio's calls arrive. */
  webhookPath?: string;
  apiUrl?: string;
  /** Interval between checks for messages whose webhook call didn't arrive. */
  pollSeconds?: number;
  maxSegments?: number;
  maxMessages?: number;
  /** If missing, images are mentioned in messages but not fetched. */
  media?: IncomingMedia | undefined;
  /** Never gets a token or a number. */
  log?: SmsLog;
  timing?: Partial<Timing>;
}

export type SmsLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface Timing {
  /** Limit of one call. */
  callMs: number;
  downloadMs: number;
  /** How long a webhook call waits for older messages. Twilio gives up after 15 s. */
  nudgeMs: number;
  /** Twilio may still process a send without an answer within this time. */
  settleMs: number;
  /** After failures. */
  backoff: BackoffLimits;
  /** Interval between checks of a token that was refused. */
  refusedMs: number;
}

const DEFAULT_TIMING: Timing = {
  callMs: 15_000,
  downloadMs: 60_000,
  nudgeMs: 5000,
  settleMs: 3000,
  backoff: { firstMs: 500, maxMs: 30_000 },
  refusedMs: 300_000,
};

const DEFAULT_API_URL = "https://api.twilio.com";
/** With a webhook, and without one. */
const POLL_SECONDS = { behindWebhook: 120, alone: 15 };

export interface Settings {
  accountSid: string;
  authToken: string;
  account: string;
  phoneNumber: string;
  messagingServiceSid: string | null;
  webhookUrl: string | null;
  webhookPath: string;
  apiUrl: string;
  pollMs: number;
  maxSegments: number;
  maxMessages: number;
  media: IncomingMedia | null;
  log: SmsLog;
  timing: Timing;
}

export const MAX_SEGMENTS = 10;
export const MAX_MESSAGES = 10;

export function settingsOf(options: SmsOptions): Settings {
  const { accountSid, phoneNumber, webhookUrl } = options;
  if (!/^AC[0-9a-zA-Z]{1,64}$/.test(accountSid))
    throw new HermesError("invalid", "Not an Account SID of Twilio", {
      hint: "It begins with AC and is shown on https://console.twilio.com. Set TWILIO_ACCOUNT_SID.",
    });
  if (!isNumber(phoneNumber))
    throw new HermesError("invalid", "SMS needs a phone number", {
      hint: "Set TWILIO_PHONE_NUMBER with the country code: +15551234567.",
    });
  const seconds = webhookUrl === undefined ? POLL_SECONDS.alone : POLL_SECONDS.behindWebhook;
  return {
    accountSid,
    authToken: options.authToken,
    account: phoneNumber,
    phoneNumber,
    messagingServiceSid: options.messagingServiceSid ?? null,
    webhookUrl: webhookUrl ?? null,
    webhookPath: options.webhookPath ?? "/webhooks/twilio",
    apiUrl: withoutTrailing(options.apiUrl ?? DEFAULT_API_URL, "/"),
    pollMs: 1000 * (options.pollSeconds ?? seconds),
    maxSegments: options.maxSegments ?? MAX_SEGMENTS,
    maxMessages: options.maxMessages ?? MAX_MESSAGES,
    media: options.media ?? null,
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
