/** A failed HTTP call → the outcome of a send: nothing arrived, the platform refused it, or unknown. */
import { SendError } from "../../errors.js";
import { errorsWithin, neverConnected } from "../never-connected.js";

export interface SendCall {
  /** The platform's display name. */
  label: string;
  /** The call is idempotent, so an unknown outcome counts as not sent. */
  repeatable?: boolean | undefined;
  /** What must wait while the platform is unreachable. Default: the chat. */
  scope?: "chat" | "account";
}

export interface HttpFailure {
  status: number;
  /** The Retry-After header. */
  retryAfter?: string | null | undefined;
  /** The platform's error text. Operators see it, so it must never contain a token. */
  reason?: string | undefined;
}

/** Delay between attempts while the token is refused: only the operator can fix that. */
const TOKEN_RETRY_MS = 60_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
const MAX_REASON = 300;

export function httpSendError({ status, retryAfter, reason }: HttpFailure, call: SendCall): SendError {
  const { label } = call;
  const said = reason === undefined ? "" : `: ${reason.slice(0, MAX_REASON)}`;
  const waitMs = retryAfterMs(retryAfter);
  if (status === 429)
    return new SendError("never_sent", `${label} asks to wait`, { retryAfterMs: waitMs ?? 1000 });
  if (status === 401) {
    const options = { retryAfterMs: waitMs ?? TOKEN_RETRY_MS, scope: "account" } as const;
    return new SendError("never_sent", `${label} refuses the credentials${said}`, options);
  }
  const message = `${label} answered with HTTP ${status}${said}`;
  if (status === 408 || status === 425 || status >= 500) return uncertain(message, call, waitMs);
  return new SendError("refused", message);
}

/** For a call without a response. */
export function networkSendError(error: unknown, call: SendCall): SendError {
  if (error instanceof SendError) return error;
  const reason = networkReason(error);
  if (neverConnected(error)) {
    const options = { scope: call.scope ?? "chat", cause: error };
    return new SendError("never_sent", `${call.label} can't be reached: ${reason}`, options);
  }
  return uncertain(`It is unknown whether ${call.label} has it: ${reason}`, call, undefined, error);
}

function uncertain(
  message: string,
  { repeatable }: SendCall,
  waitMs: number | undefined,
  cause?: unknown,
): SendError {
  return new SendError(repeatable ? "never_sent" : "unknown", message, { retryAfterMs: waitMs, cause });
}

/** Parses a Retry-After header, in seconds or as a date; at most an hour. */
export function retryAfterMs(header: string | null | undefined, nowMs = Date.now()): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  const ms = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}

/** Never uses the error's own text, because it may contain a URL with a token. */
export function networkReason(error: unknown): string {
  for (const { code, name, message } of errorsWithin(error)) {
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return code;
    if (name === "TimeoutError" || (typeof message === "string" && /timed out/.test(message)))
      return "no answer in time";
    if (name === "AbortError") return "the request was aborted";
    if (typeof message === "string" && /invalid json/i.test(message)) return "the answer isn't valid JSON";
  }
  return "the connection broke";
}
