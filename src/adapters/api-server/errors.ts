/** Errors in the format that OpenAI's clients expect. */
import type { AnswerDetails } from "../../client-request.js";

export type ApiStatus = 400 | 401 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503 | 504;

export class ApiError extends Error {
  readonly status: ApiStatus;
  readonly code: string;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: ApiStatus,
    code: string,
    message: string,
    more: { param?: string | null; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = more.param ?? null;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }

  get body() {
    const { message, code, param } = this;
    return { error: { message, type: typeOf(this.status), param, code } };
  }
}

export function invalid(message: string, param: string | null = null): ApiError {
  return new ApiError(400, "invalid_value", message, { param });
}

export function notNow(message: string): ApiError {
  return new ApiError(503, "unavailable", message, { retryAfterSeconds: 5 });
}

const STATUSES: Record<string, { status: ApiStatus; code: string }> = {
  context_length: { status: 400, code: "context_length_exceeded" },
  rate_limit: { status: 429, code: "rate_limit_exceeded" },
  content_filter: { status: 400, code: "content_filter" },
  // Not the client's fault: the gateway's model key or settings are wrong.
  credentials: { status: 503, code: "model_credentials_rejected" },
  refused: { status: 502, code: "model_rejected_request" },
  timeout: { status: 504, code: "timeout" },
  network: { status: 502, code: "model_unreachable" },
  limit: { status: 504, code: "turn_limit" },
  stopped: { status: 409, code: "stopped" },
};

/** A turn without an answer; the text is the notice that a person would get. */
export function failedTurn(failure: NonNullable<AnswerDetails["failure"]>, text: string): ApiError {
  const { status, code } = STATUSES[failure.kind] ?? { status: 500 as const, code: "turn_failed" };
  return new ApiError(status, code, text);
}

function typeOf(status: ApiStatus): string {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
