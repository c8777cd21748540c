/** Options of the email adapter and their defaults. */
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import type { IncomingMedia } from "../../media/incoming.js";
import { addressOf } from "./ids.js";

export interface MailServer {
  host: string;
  port: number;
  /** `tls` from the first byte, `starttls` before the login, or nothing (`plain`). */
  security: "tls" | "starttls" | "plain";
  verify: boolean;
}

export interface EmailOptions {
  address: string;
  password: string;
  /** Left out: the address. */
  user?: string | undefined;
  /** The name that people see. */
  name?: string | undefined;
  imap: MailServer;
  smtp: MailServer;
  mailbox?: string;
  /** Whose Authentication-Results count. */
  authservId?: string | undefined;
  /** Believe the From header, whatever the checks say. */
  trustFrom?: boolean;
  /** The server itself puts a copy of each mail into Sent, so that a mail that isn't there was not sent. */
  serverKeepsSent?: boolean;
  pollSeconds?: number;
  media?: IncomingMedia | undefined;
  /** Never gets a password or an address. */
  log?: EmailLog;
  timing?: Partial<Timing>;
}

export type EmailLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface Timing {
  /** Limit of one command. */
  callMs: number;
  /** Limit of one mail with its files. */
  transferMs: number;
  /** A server may still process a mail without an answer within this time. */
  settleMs: number;
  backoff: BackoffLimits;
  /** Delay between logins with a password that was refused. */
  refusedMs: number;
}

const DEFAULT_TIMING: Timing = {
  callMs: 20_000,
  transferMs: 60_000,
  settleMs: 3000,
  backoff: { firstMs: 1000, maxMs: 60_000 },
  refusedMs: 300_000,
};

/** What most servers take, with the third that encoding adds. */
export const MAX_FILES_BYTES = 18 * 1024 * 1024;

export interface Settings {
  address: string;
  account: string;
  password: string;
  user: string;
  name: string | null;
  imap: MailServer;
  smtp: MailServer;
  /** Of the IMAP server, for messages. */
  apiUrl: string;
  mailbox: string;
  authservId: string | null;
  trustFrom: boolean;
  serverKeepsSent: boolean;
  pollMs: number;
  media: IncomingMedia | null;
  log: EmailLog;
  timing: Timing;
}

export function settingsOf(options: EmailOptions): Settings {
  const { imap, smtp } = options;
  const address = addressOf(options.address);
  if (address === undefined)
    throw new HermesError("invalid", "This is not an email address", {
      hint: "Set EMAIL_ADDRESS to the address that people write to.",
    });
  return {
    address,
    account: address,
    password: options.password,
    user: options.user ?? options.address,
    name: options.name ?? null,
    imap,
    smtp,
    apiUrl: `${imap.host}:${imap.port}`,
    mailbox: options.mailbox ?? "INBOX",
    authservId: options.authservId?.toLowerCase() ?? null,
    trustFrom: options.trustFrom ?? false,
    serverKeepsSent: options.serverKeepsSent ?? false,
    pollMs: 1000 * (options.pollSeconds ?? 60),
    media: options.media ?? null,
    log: options.log ?? (() => undefined),
    timing: { ...DEFAULT_TIMING, ...options.timing },
  };
}
