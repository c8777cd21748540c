/** Options of the WhatsApp Cloud adapter and their defaults. */
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import { withoutTrailing } from "../../trailing.js";
import type { ReceivedText } from "./quoted-texts.js";

export interface WhatsAppOptions {
  phoneNumberId: string;
  accessToken: string;
  /** Proves that calls are Meta's. */
  appSecret: string;
  /** Proves our address to Meta once; left out: the handshake is refused. */
  verifyToken?: string | undefined;
  webhookPath?: string;
  apiUrl?: string;
  apiVersion?: string;
  /** The business account, for checks only. */
  businessId?: string | undefined;
  /** Which parts of an answer quote the question. */
  replyToMode?: "first" | "all" | "off";
  /** Texts of earlier messages, for replies to them. */
  receivedText?: ReceivedText;
  media?: IncomingMedia | undefined;
  /** Never gets a token or a number. */
  log?: WhatsAppLog;
  timing?: Partial<Timing>;
}

export type WhatsAppLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface Timing {
  callMs: number;
  transferMs: number;
  /** How long to wait for a status of a send without an answer. */
  settleMs: number;
  backoff: { firstMs: number; maxMs: number };
  refusedMs: number;
  /** Interval between checks of the token: webhook calls may be rare. */
  checkMs: number;
}

const DEFAULT_TIMING: Timing = {
  callMs: 15_000,
  transferMs: 60_000,
  settleMs: 10_000,
  backoff: { firstMs: 500, maxMs: 30_000 },
  refusedMs: 300_000,
  checkMs: 300_000,
};

export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

export interface Settings {
  phoneNumberId: string;
  account: string;
  accessToken: string;
  appSecret: string;
  verifyToken: string | null;
  webhookPath: string;
  apiUrl: string;
  businessId: string | null;
  replyToMode: "first" | "all" | "off";
  receivedText: ReceivedText;
  media: IncomingMedia | null;
  log: WhatsAppLog;
  timing: Timing;
}

export function settingsOf(options: WhatsAppOptions): Settings {
  const { phoneNumberId, apiUrl = "https://graph.facebook.com", apiVersion = "v20.0" } = options;
  if (!/^\d{1,30}$/.test(phoneNumberId))
    throw new HermesError("invalid", "This is not a phone number id of WhatsApp", {
      hint: "It is a long number on the app's page WhatsApp → API Setup. Set WHATSAPP_CLOUD_PHONE_NUMBER_ID.",
    });
  return {
    phoneNumberId,
    account: phoneNumberId,
    accessToken: options.accessToken,
    appSecret: options.appSecret,
    verifyToken: options.verifyToken ?? null,
    webhookPath: options.webhookPath ?? "/whatsapp/webhook",
    apiUrl: `${withoutTrailing(apiUrl, "/")}/${apiVersion}`,
    businessId: options.businessId ?? null,
    replyToMode: options.replyToMode ?? "first",
    receivedText: options.receivedText ?? (async () => undefined),
    media: options.media ?? null,
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
