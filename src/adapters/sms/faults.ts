/** Twilio's errors → what they mean for a send, and what to do about them. Never contains a token or a number. */
import { HermesError, SendError } from "../../errors.js";
import { httpSendError, networkReason, networkSendError, retryAfterMs } from "../kit/send-errors.js";
import { TwilioError } from "./api.js";

export const TOKEN_REFUSED =
  "Twilio refuses the credentials: check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, then restart the gateway";

export function isUnauthorized(error: unknown): boolean {
  return error instanceof TwilioError && (error.status === 401 || error.code === 20003);
}

export function tokenRefused(): HermesError {
  return new HermesError("refused", "Twilio refuses the credentials", {
    hint: "Copy the Account SID and the Auth Token from https://console.twilio.com (TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN).",
  });
}

/** Between attempts while only the operator can help. */
const TOKEN_RETRY_MS = 60_000;
const QUEUE_RETRY_MS = 5000;
const RATE_RETRY_MS = 1000;

/** Twilio repeats numbers in its own texts, so these explain in our words. */
const REFUSALS: Readonly<Record<number, string>> = {
  21211: "the number is not valid",
  21265: "the number is not valid",
  21408:
    "the account may not send to this country: allow it in Twilio's console (Messaging → Geo permissions)",
  21606: "our number can't send messages",
  21608: "a trial account sends to verified numbers only",
  21610: "the person has sent STOP, so Twilio blocks messages until they send START",
  21612: "no carrier accepts messages from our number to this one",
  21614: "the number can't receive text messages",
  21617: "the text is too long",
};

const LATER_FAULTS: Readonly<Record<number, string>> = {
  30003: "the phone is off or unreachable",
  30004: "the person or the carrier blocks it",
  30005: "the number doesn't exist",
  30006: "it is a landline, or the carrier can't be reached",
  30007: "the carrier filtered it as spam",
  30008: "the carrier doesn't say why",
  30032: "our toll-free number isn't verified",
  30034: "our number isn't registered for A2P 10DLC",
};

/** Concern every message: an operator has to act. */
const FOR_OPERATOR = new Set([30032, 30034]);

export function sendErrorOf(error: unknown): SendError {
  if (!(error instanceof TwilioError)) return networkSendError(error, { label: "Twilio" });
  const { status, code } = error;
  if (isUnauthorized(error))
    return new SendError("never_sent", TOKEN_REFUSED, { retryAfterMs: TOKEN_RETRY_MS, scope: "account" });
  const waitMs = waitOf(error);
  if (waitMs !== undefined)
    return new SendError("never_sent", "Twilio asks to wait", { retryAfterMs: waitMs, scope: "account" });
  const known = code === undefined ? undefined : REFUSALS[code];
  if (known !== undefined) return new SendError("refused", `Twilio refuses the message: ${known} (${code})`);
  const reason = code === undefined ? undefined : `error ${code}`;
  return httpSendError({ status, reason }, { label: "Twilio" });
}

/** How long Twilio wants us to wait; undefined if it is another error. */
export function waitOf(error: unknown): number | undefined {
  if (!(error instanceof TwilioError)) return undefined;
  const { status, code, retryAfter } = error;
  if (status === 429 || code === 20429) return retryAfterMs(retryAfter) ?? RATE_RETRY_MS;
  return code === 30001 || code === 21611 ? QUEUE_RETRY_MS : undefined;
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof TwilioError)) return networkReason(error);
  return error.code === undefined ? `HTTP ${error.status}` : `HTTP ${error.status}, error ${error.code}`;
}

/** Of a message that Twilio took and couldn't deliver. */
export function laterFault(code: number): { text: string; forOperator: boolean } {
  const why = LATER_FAULTS[code] ?? `see https://www.twilio.com/docs/api/errors/${code}`;
  return { text: `An SMS was not delivered (${code}): ${why}`, forOperator: FOR_OPERATOR.has(code) };
}
