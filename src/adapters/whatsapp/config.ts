/** Options of the WhatsApp adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import type { PlatformLog } from "../platform.js";

export interface WhatsAppOptions {
  /** Of the account, with the country code. */
  phoneNumber: string;
  home: string;
  /** Keeps the keys of the link; must be this account's own. */
  folder: string;
  /** Identifies this account in the inbox and the outbox. Must not change. */
  account?: string;
  mode?: "self-chat" | "bot";
  linkWith?: "code" | "qr";
  /** Before each answer. */
  replyPrefix?: string | null;
  sendReadReceipts?: boolean;
  /** Which parts of an answer quote the question. */
  replyToMode?: "first" | "all" | "off";
  /** The file of a module with Baileys' functions; left out: Baileys itself. */
  library?: string | null;
  /** WhatsApp's WebSocket; left out: the usual one. */
  apiUrl?: string | null;
  /** If missing, files are mentioned in messages but neither fetched nor sent. */
  media?: IncomingMedia | undefined;
  /** Where a QR code is drawn. */
  terminal?: { write(text: string): unknown };
  /** Never gets keys or texts of messages. */
  log?: PlatformLog;
  timing?: Partial<Timing>;
}

export interface Timing {
  /** Of one call that isn't a message. */
  callMs: number;
  sendMs: number;
  uploadMs: number;
  downloadMs: number;
  /** From opening a socket to being logged in, or to the code to link with. */
  openMs: number;
  /** Between two signs of life that WhatsApp is asked for. */
  keepAliveMs: number;
  /** A connection that stayed open this long counts as good. */
  stableMs: number;
  closeMs: number;
  backoff: BackoffLimits;
  /** Delay after the inbox refused a message. */
  receiveRetry: BackoffLimits;
  /** Delay between attempts while only a person can help. */
  refusedMs: number;
  /** How long `connect` waits before it continues in the background. */
  patienceMs: number;
  /** How long a receipt of an earlier attempt is waited for. */
  settleMs: number;
}

const DEFAULT_TIMING: Timing = {
  callMs: 20_000,
  sendMs: 30_000,
  uploadMs: 120_000,
  downloadMs: 60_000,
  openMs: 60_000,
  keepAliveMs: 25_000,
  stableMs: 10_000,
  closeMs: 1000,
  backoff: { firstMs: 1000, maxMs: 60_000 },
  receiveRetry: { firstMs: 200, maxMs: 30_000 },
  refusedMs: 300_000,
  patienceMs: 15_000,
  settleMs: 3000,
};

export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

export interface Settings extends Required<Omit<WhatsAppOptions, "timing" | "media" | "phoneNumber">> {
  /** Digits only. */
  number: string;
  media: IncomingMedia | undefined;
  timing: Timing;
}

export function settingsOf(options: WhatsAppOptions): Settings {
  const number = options.phoneNumber.replace(/\D/g, "");
  if (number.length < 5 || number.length > 15)
    throw new HermesError("invalid", "WhatsApp needs the account's phone number", {
      hint: "Set WHATSAPP_PHONE_NUMBER with the country code: +15551234567.",
    });
  return {
    number,
    home: options.home,
    folder: options.folder,
    account: options.account ?? "whatsapp",
    mode: options.mode ?? "self-chat",
    linkWith: options.linkWith ?? "code",
    replyPrefix: options.replyPrefix ?? null,
    sendReadReceipts: options.sendReadReceipts ?? false,
    replyToMode: options.replyToMode ?? "first",
    library: options.library ?? null,
    apiUrl: options.apiUrl ?? null,
    media: options.media,
    terminal: options.terminal ?? { write: () => undefined },
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
