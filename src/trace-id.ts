import { createHash } from "node:crypto";

/** One id from a message's receipt to its delivery: 32 hex digits, as W3C Trace Context has them. */
export type TraceId = string;

const NONE = "0".repeat(32);

/** From what makes an event one event: a second delivery of it, also after a crash, is the same trace. */
export function traceIdOf(message: {
  platform: string;
  account: string;
  eventId: string;
  traceId?: TraceId;
}): TraceId {
  const { platform, account, eventId, traceId } = message;
  return isTraceId(traceId) ? traceId : hash(JSON.stringify([platform, account, eventId]));
}

/** For what answers nobody: the same for every attempt at it. */
export function traceIdFromNonce(nonce: string): TraceId {
  return hash(JSON.stringify(["nonce", nonce]));
}

/** What a caller calls its request, and the trace that this is. */
export interface GivenTrace {
  requestId: string;
  traceId: TraceId;
}

/** From the headers of a request: W3C's `traceparent`, or `X-Request-Id`. What is in neither form is left out. */
export function givenTrace(header: (name: string) => string | null | undefined): GivenTrace | undefined {
  const [, parent] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/.exec(header("traceparent") ?? "") ?? [];
  const requestId = /^[\w.:+/=@-]{1,128}$/.exec(header("x-request-id")?.trim() ?? "")?.[0];
  if (isTraceId(parent)) return { requestId: requestId ?? parent, traceId: parent };
  return requestId === undefined ? undefined : { requestId, traceId: traceIdOfRequest(requestId) };
}

/** A trace id or a UUID is one already; anything else stands for one. */
export function traceIdOfRequest(requestId: string): TraceId {
  const digits = requestId.toLowerCase().replaceAll("-", "");
  return isTraceId(digits) ? digits : hash(JSON.stringify(["request", requestId]));
}

export function isTraceId(text: unknown): text is TraceId {
  return typeof text === "string" && /^[0-9a-f]{32}$/.test(text) && text !== NONE;
}

function hash(text: string): TraceId {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
