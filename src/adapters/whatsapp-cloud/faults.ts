/** Meta's errors → what they mean for a send, and what to do about them. Never contains a token or a number. */
import { HermesError, SendError } from "../../errors.js";
import { isRecord, RestError } from "../kit/rest.js";
import { httpSendError, networkReason, networkSendError, retryAfterMs } from "../kit/send-errors.js";

const NEW_TOKEN =
  "Create a permanent token of a system user with whatsapp_business_messaging (business.facebook.com → System users) and set WHATSAPP_CLOUD_ACCESS_TOKEN.";
const TOKEN_FAULT = "Meta refuses the access token";
export const TOKEN_REFUSED = `${TOKEN_FAULT}. ${NEW_TOKEN}`;

/** The number of Meta's own error; undefined if it isn't one of Meta's. */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof RestError) || !isRecord(error.body.error)) return undefined;
  const { code } = error.body.error;
  return typeof code === "number" ? code : undefined;
}

/** The token is wrong, expired, or may not do this: only the operator can help. */
export function isUnauthorized(error: unknown): boolean {
  if (!(error instanceof RestError)) return false;
  const code = codeOf(error) ?? -1;
  return error.status === 401 || [0, 3, 10, 190].includes(code) || (code >= 200 && code <= 299);
}

export function tokenRefused(): HermesError {
  return new HermesError("refused", TOKEN_FAULT, { hint: NEW_TOKEN });
}

const TOKEN_RETRY_MS = 60_000;
/** Meta names no time. One person gets about a message in six seconds. */
const WAITS: Readonly<Record<number, { ms: number; scope: "chat" | "account" }>> = {
  4: { ms: 60_000, scope: "account" },
  80007: { ms: 60_000, scope: "account" },
  130429: { ms: 2000, scope: "account" },
  131048: { ms: 60_000, scope: "account" },
  131056: { ms: 6000, scope: "chat" },
};

const REFUSALS: Readonly<Record<number, string>> = {
  130472: "Meta excludes this person from messages of businesses in an experiment",
  131026: "the number has no WhatsApp, or can't get messages from businesses",
  131030: "the number isn't on the list of a test account: add it at Meta (WhatsApp → API Setup)",
  131047:
    "the person's last message is older than 24 hours, so WhatsApp only accepts templates: it can be sent after they write again",
  131050: "the person has stopped messages from this business",
  131051: "WhatsApp doesn't support this kind of message",
  131052: "the file could not be read",
  131053: "WhatsApp doesn't accept files of this type or size",
  133010: "the number isn't registered with the Cloud API: register it at Meta",
};

/** Nothing is delivered until the operator acts. */
const OPERATOR: Readonly<Record<number, string>> = {
  368: "Meta blocks the business account for a violation of its policies: see Business Support at Meta",
  131031: "Meta has locked the business account: see Business Support at Meta",
  131042: "Meta lacks a payment method of the business account: add one in WhatsApp Manager",
  131045: "the number isn't registered with the Cloud API: register it at Meta",
};

const explained = (code: number): string | undefined => REFUSALS[code] ?? OPERATOR[code];

/** `repeatable`: nothing was visible yet. */
export function sendErrorOf(error: unknown, { repeatable = false } = {}): SendError {
  const call = { label: "WhatsApp", repeatable };
  if (!(error instanceof RestError)) return networkSendError(error, call);
  const { status, headers } = error;
  const code = codeOf(error) ?? -1;
  if (isUnauthorized(error))
    return new SendError("never_sent", TOKEN_REFUSED, { retryAfterMs: TOKEN_RETRY_MS, scope: "account" });
  const wait = WAITS[code] ?? (status === 429 ? { ms: 2000, scope: "account" as const } : undefined);
  if (wait)
    return new SendError("never_sent", "WhatsApp asks to wait", {
      retryAfterMs: retryAfterMs(headers.get("retry-after")) ?? wait.ms,
      scope: wait.scope,
    });
  const known = explained(code);
  if (known !== undefined)
    return new SendError("refused", `WhatsApp refuses the message: ${known} (error ${code})`);
  return httpSendError({ status, ...(code < 0 ? {} : { reason: `error ${code}` }) }, call);
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof RestError)) return networkReason(error);
  const code = codeOf(error);
  return code === undefined ? `HTTP ${error.status}` : `HTTP ${error.status}, error ${code}`;
}

/** Of a message that Meta took and couldn't deliver. */
export function laterFault(code: number): { text: string; forOperator: boolean } {
  const text = `WhatsApp didn't deliver a message: ${explained(code) ?? "see Meta's list of error codes"} (error ${code})`;
  return { text, forOperator: OPERATOR[code] !== undefined };
}
