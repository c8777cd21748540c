/** Provider errors → failure kind, whether to retry, and when. */
import { field } from "../../field.js";
import type { Failure, FailureKind } from "../backend.js";
import { KEY_NAMES, type ModelEndpoint, modelName } from "./endpoint.js";
import { beforeOwnWords } from "./own-words.js";

/** A model request without a complete answer. */
export class RequestFailed extends Error {
  readonly kind: FailureKind;
  /** Retrying the same request may succeed. */
  readonly isPassing: boolean;
  readonly retryAfterMs: number | undefined;
  /** The user has seen part of the answer, so it can't be retried. */
  wasHeard = false;
  /** The model that was asked last. */
  endpoint: ModelEndpoint | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    more: { isPassing?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "RequestFailed";
    this.kind = kind;
    this.isPassing = more.isPassing ?? false;
    this.retryAfterMs = more.retryAfterMs;
  }
}

type NamedModel = { model: string; keyName: string };

const NOTICES: Record<FailureKind, string | ((named: NamedModel) => string)> = {
  context_length: "This conversation is too long for the model. Send /compress to shorten it, or /new.",
  rate_limit: "The model is busy (rate limit). Try again in a minute.",
  timeout: "The model did not answer in time. Try again.",
  credentials: ({ model, keyName }) =>
    `The API key for ${model} is missing or was rejected. The operator has to set ${keyName} in .env; \`hermes doctor\` checks it.`,
  content_filter: "The model's content filter blocked the answer. Try to rephrase the question.",
  refused: ({ model }) =>
    `${model} rejected the request. The operator can check the model settings with \`hermes doctor\`.`,
  network: "The model service could not be reached or broke off. Try again in a moment.",
  limit:
    "I stopped here: one answer may use only so many steps (`agent.max_turns`). What I did so far is kept; say “go on” and I continue.",
  stopped: "Stopped.",
  other: "The model gave no usable answer. Try again, or say it differently.",
};

export function toFailure(error: unknown, signal: AbortSignal): Failure {
  const failed = signal.aborted ? new RequestFailed("stopped", "stopped") : classify(error);
  const { kind, message, endpoint } = failed;
  const model = endpoint ? modelName(endpoint) : "The model";
  const keyName = endpoint ? KEY_NAMES[endpoint.provider] : "its key";
  const notice = NOTICES[kind];
  return {
    kind,
    message: endpoint ? `${model}: ${message}` : message,
    notice: typeof notice === "string" ? notice : notice({ model, keyName }),
  };
}

/** Classifies a thrown error or a mid-stream error event. */
export function classify(error: unknown): RequestFailed {
  if (error instanceof RequestFailed) return error;
  const { status, text } = read(error);
  const shown = beforeOwnWords(text, field(error, "requestBodyValues"));
  const message = `${status === undefined ? "" : `HTTP ${status}: `}${shown.slice(0, 500)}`;
  const kind = kindOf(status, text, error);
  return new RequestFailed(kind, message, {
    isPassing: kind === "rate_limit" || kind === "network",
    retryAfterMs: retryAfterMs(field(error, "responseHeaders"), Date.now()),
    cause: error,
  });
}

function read(error: unknown): { status: number | undefined; text: string } {
  const status = field(error, "statusCode") ?? field(field(error, "error"), "status_code");
  const said = [errorText(error), field(error, "responseBody"), causeText(error)];
  const text = [...new Set(said.filter((part) => typeof part === "string" && part !== ""))].join(" | ");
  return { status: typeof status === "number" ? status : undefined, text };
}

function errorText(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "string" ? error : (JSON.stringify(error) ?? String(error));
}

/** The cause (ECONNREFUSED) says more than `fetch failed`. */
function causeText(error: unknown): string {
  const cause = field(error, "cause");
  if (!(cause instanceof Error)) return "";
  return [field(cause, "code"), cause.message, causeText(cause)].filter(Boolean).join(" ");
}

const TOO_LONG =
  /context[_ ](length|window|size|limit)|(prompt|input|request) (is |are )?too (long|large)|(prompt|input) exceeds|maximum (prompt|context|model|input) length|reduce the length|too many (input )?tokens:|range of input length|max_new_tokens|exceed_context/i;
/** Matches any complaint about images in a rejected request; one retry without them is cheap. */
const ABOUT_IMAGES = /image|vision|multi-?modal/i;
const TOO_LARGE_FOR_A_LIMIT = /request too large|too large for/i;
const FILTERED = /content.?filter|content.management.policy|content.?policy|moderation|flagged/i;
const RATE = /rate.?limit|too many requests|quota/i;
const PASSING = /overloaded|server.?error|internal.?error|unavailable|bad gateway|try again/i;
const SLOW = /UND_ERR_(HEADERS|BODY)_TIMEOUT/;
const CUT =
  /fetch failed|terminated|socket|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|network|other side closed|finish reason|cannot connect/i;

/** The model may be text-only. */
export function refusesImages({ message, kind }: RequestFailed): boolean {
  return (kind === "refused" || kind === "network" || kind === "other") && isAboutImages(message);
}

function isAboutImages(text: string): boolean {
  return (
    ABOUT_IMAGES.test(text) || saysInTurn(text.split(/[.|]/), /content/i, /(?:must be|expected) a string/i)
  );
}

function isTooLong(text: string): boolean {
  const sentences = text.split(".");
  return (
    TOO_LONG.test(text) ||
    saysInTurn(sentences, /exceeds the (?:maximum|available|model)/i, /token|context/i) ||
    saysInTurn(sentences, /tokens? count/i, /exceeds/i)
  );
}

/** A sentence contains the first text and, later, the second. One pattern for both would be quadratic. */
function saysInTurn(sentences: readonly string[], first: RegExp, second: RegExp): boolean {
  return sentences.some((sentence) => {
    const found = first.exec(sentence);
    return found !== null && second.test(sentence.slice(found.index + found[0].length));
  });
}

function kindOf(status: number | undefined, text: string, error: unknown): FailureKind {
  if (status === 413) return "context_length";
  if (status === 401) return "credentials";
  if (status === 403) return FILTERED.test(text) ? "content_filter" : "credentials";
  // Some local servers return 500 for a long prompt, so check the text before the status.
  if (status === 429) return TOO_LARGE_FOR_A_LIMIT.test(text) ? "context_length" : "rate_limit";
  if (isTooLong(text)) return "context_length";
  if (status === undefined) return kindOfWords(text, error);
  if (status === 408 || status === 409 || status >= 500) return "network";
  // 2xx with an unreadable body: truncated, or not an API at all.
  if (status < 400) return "network";
  return FILTERED.test(text) ? "content_filter" : "refused";
}

function kindOfWords(text: string, error: unknown): FailureKind {
  if (SLOW.test(text)) return "timeout";
  if (CUT.test(text)) return "network";
  if (RATE.test(text)) return "rate_limit";
  if (PASSING.test(text)) return "network";
  return field(error, "name") === "AI_LoadAPIKeyError" ? "credentials" : "other";
}

/** Accepts seconds, milliseconds or a date; undefined if invalid. */
export function retryAfterMs(headers: unknown, nowMs: number): number | undefined {
  const exact = Number(field(headers, "retry-after-ms") ?? Number.NaN);
  if (exact >= 0) return exact;
  const header = field(headers, "retry-after");
  if (typeof header !== "string" || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
