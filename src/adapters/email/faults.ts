/** Errors of mail servers → what they mean for a send, and what to do about them. Never contains a password or an address. */
import { HermesError, SendError } from "../../errors.js";
import { networkReason } from "../kit/send-errors.js";
import { neverConnected } from "../never-connected.js";

export const LOGIN_REFUSED =
  "The mail server refuses the login: check EMAIL_ADDRESS and EMAIL_PASSWORD (many providers need an app password), then restart the gateway";

export function loginRefused(): HermesError {
  return new HermesError("refused", "The mail server refuses the login", {
    hint: "Check EMAIL_ADDRESS and EMAIL_PASSWORD. Many providers need an app password, and IMAP must be switched on.",
  });
}

interface ImapFault {
  authenticationFailed?: unknown;
  responseText?: unknown;
  serverResponseCode?: unknown;
}

/** Some servers answer a login like that while too many connections are open. */
export function isLoginRefused(error: unknown): boolean {
  const { authenticationFailed, responseText, serverResponseCode } = (error ?? {}) as ImapFault;
  if (authenticationFailed !== true || serverResponseCode === "UNAVAILABLE") return false;
  return !/too many|unavailable|try again|limit/i.test(typeof responseText === "string" ? responseText : "");
}

export function reasonOf(error: unknown): string {
  return networkReason(error);
}

interface SmtpFault {
  code?: unknown;
  responseCode?: unknown;
  response?: unknown;
}

const LOGIN_RETRY_MS = 60_000;
const BUSY_MS = 60_000;
const MAX_WAIT_MS = 3_600_000;

/** `isComplete`: the whole mail was handed to the connection, so the server may have it. */
export function sendErrorOf(error: unknown, isComplete: boolean): SendError {
  if (error instanceof SendError) return error;
  const { code, responseCode: status, response } = (error ?? {}) as SmtpFault;
  const said = typeof response === "string" ? response : "";
  if (code === "EAUTH" && !(typeof status === "number" && status < 500))
    return new SendError("never_sent", LOGIN_REFUSED, { retryAfterMs: LOGIN_RETRY_MS, scope: "account" });
  if (typeof status === "number" && status >= 400 && status < 500) {
    const message = `The mail server asks to wait (${status})`;
    return new SendError("never_sent", message, { retryAfterMs: waitIn(said) ?? BUSY_MS, scope: "account" });
  }
  if (typeof status === "number" && status >= 500)
    return new SendError("refused", `The mail server refuses the mail (${codeIn(said) ?? status})`);
  const reason = networkReason(error);
  if (!isComplete || neverConnected(error))
    return new SendError("never_sent", `The mail can't be sent: ${reason}`, { cause: error });
  return new SendError("unknown", `It is unknown whether the mail server has the mail: ${reason}`, {
    cause: error,
  });
}

/** "Greylisted, please try again in 300 seconds". */
function waitIn(said: string): number | undefined {
  const [, count, unit] = /\b(\d{1,5}) (second|minute)/i.exec(said.slice(0, 500)) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  return Math.min(MAX_WAIT_MS, Number(count) * (unit.toLowerCase() === "minute" ? 60_000 : 1000));
}

/** `5.1.1`, with what it means. The server's own words contain the address. */
function codeIn(said: string): string | undefined {
  const code = /\b5\.\d{1,3}\.\d{1,3}\b/.exec(said.slice(0, 500))?.[0];
  if (code === undefined) return undefined;
  const known = MEANINGS[code.slice(0, 3)];
  return known ? `${code}: ${known}` : code;
}

const MEANINGS: Readonly<Record<string, string>> = {
  "5.1": "the address doesn't exist",
  "5.2": "the mailbox is full or closed",
  "5.3": "the mail is too large, or the server can't accept it",
  "5.4": "that server can't be reached",
  "5.7": "the server's policy, such as SPF, DKIM or a spam filter",
};
