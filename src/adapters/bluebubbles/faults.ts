/** The server's errors → what they mean for a send, and what to do about them. Never contains the password or an address. */
import { HermesError, SendError } from "../../errors.js";
import { isRecord, RestError, restSendError } from "../kit/rest.js";
import { networkReason } from "../kit/send-errors.js";

export const PASSWORD_FAULT = "BlueBubbles refuses the password";
export const PASSWORD_FIX =
  "Copy it from the BlueBubbles server on the Mac (Settings → Connection) and set BLUEBUBBLES_PASSWORD.";
export const PASSWORD_REFUSED = `${PASSWORD_FAULT}. ${PASSWORD_FIX}`;

export function isUnauthorized(error: unknown): boolean {
  return error instanceof RestError && error.status === 401;
}

export function passwordRefused(): HermesError {
  return new HermesError("refused", PASSWORD_FAULT, { hint: PASSWORD_FIX });
}

export function reasonOf(error: unknown): string {
  return error instanceof RestError ? `HTTP ${error.status}` : networkReason(error);
}

const MESSAGE_FAULTS: Readonly<Record<number, string>> = {
  4: "the message timed out",
  22: "the address isn't registered with iMessage",
  25: "the Mac isn't signed in to iMessage",
};

/** The Mac has the message, and shows it as not delivered. */
function messageFault(error: RestError): number | undefined {
  const { data } = error.body;
  const code = isRecord(data) ? data.error : undefined;
  return typeof code === "number" && code !== 0 ? code : undefined;
}

/** `repeatable`: making the call twice is harmless. */
export function sendErrorOf(error: unknown, { repeatable = false } = {}): SendError {
  const call = { label: "BlueBubbles", repeatable };
  if (!(error instanceof RestError)) return restSendError(error, call);
  const code = messageFault(error);
  if (code !== undefined) {
    const reason = MESSAGE_FAULTS[code] ?? "see the Messages app on the Mac";
    return new SendError("refused", `iMessage didn't deliver the message: ${reason} (error ${code})`);
  }
  const { error: details } = error.body;
  const said = isRecord(details) && typeof details.message === "string" ? details.message : undefined;
  // The first attempt is still running.
  if (error.status === 400 && said?.includes("already queued"))
    return new SendError(
      "unknown",
      "It is unknown whether BlueBubbles has it: an earlier attempt is still running",
    );
  if (error.status === 401)
    return new SendError("never_sent", PASSWORD_REFUSED, { retryAfterMs: 60_000, scope: "account" });
  return restSendError(error, call);
}
