/** Meta's errors → what they mean for a send, and what to do about them. Never contains a token or a number. */
import { HermesError, SendError } from "../../errors.js";
import { httpSendError, networkReason, networkSendError, retryAfterMs } from "../kit/send-errors.js";
import { GraphError } from "./api.js";

export const TOKEN_REFUSED =
  "Meta refuses the access token: create a permanent one of a system user, set WHATSAPP_CLOUD_ACCESS_TOKEN and restart the gateway";

export function isUnauthorized(error: unknown): boolean {
  return error instanceof GraphError && (error.status === 401 || error.code === 190 || error.code === 0);
}

export function tokenRefused(): HermesError {
  return new HermesError("refused", "Meta refuses the access token", {
    hint: "Create a permanent token of a system user (business.facebook.com → System users) and set WHATSAPP_CLOUD_ACCESS_TOKEN.",
  });
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
  131026: "the number has no WhatsApp, or can't get messages from businesses",
  131047:
    "the person's last message is older than 24 hours, and then WhatsApp allows only templates: wait until they write",
  131051: "WhatsApp doesn't know this kind of message",
  131052: "the file could not be read",
  131053: "the file is of a kind or size that WhatsApp doesn't take",
  131030: "the number isn't on the list of a test account",
  131031: "Meta has locked the business account",
};

export function sendErrorOf(error: unknown): SendError {
  if (!(error instanceof GraphError)) return networkSendError(error, { label: "WhatsApp" });
  const { status, code = -1, retryAfter } = error;
  if (isUnauthorized(error))
    return new SendError("never_sent", TOKEN_REFUSED, { retryAfterMs: TOKEN_RETRY_MS, scope: "account" });
  const wait = WAITS[code] ?? (status === 429 ? { ms: 2000, scope: "account" as const } : undefined);
  if (wait)
    return new SendError("never_sent", "WhatsApp asks to wait", {
      retryAfterMs: retryAfterMs(retryAfter) ?? wait.ms,
      scope: wait.scope,
    });
  const known = REFUSALS[code];
  if (known !== undefined)
    return new SendError("refused", `WhatsApp refuses the message: ${known} (${code})`);
  return httpSendError({ status, ...(code < 0 ? {} : { reason: `error ${code}` }) }, { label: "WhatsApp" });
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof GraphError)) return networkReason(error);
  return error.code === undefined ? `HTTP ${error.status}` : `HTTP ${error.status}, error ${error.code}`;
}

/** Of a message that Meta took and couldn't deliver. */
export function laterFault(code: number): string {
  return `A WhatsApp message was not delivered (${code}): ${REFUSALS[code] ?? "see Meta's list of error codes"}`;
}
