import { createHash } from "node:crypto";

/** Identifies a message from receipt to delivery: 32 hex digits, as in W3C Trace Context. */
export type TraceId = string;

const NONE = "0".repeat(32);

/** Derived from the event's identity, so a redelivered event has the same trace id, even after a crash. */
export function traceIdOf(message: {
  platform: string;
  account: string;
  eventId: string;
  traceId?: TraceId;
}): TraceId {
  const { platform, account, eventId, traceId } = message;
  return isTraceId(traceId) ? traceId : hash(JSON.stringify([platform, account, eventId]));
}

/** For a message that isn't a reply. The same for every attempt. */
export function traceIdFromNonce(nonce: string): TraceId {
  return hash(JSON.stringify(["nonce", nonce]));
}

/** A caller's request id and its trace id. */
export interface CallerTrace {
  requestId: string;
  traceId: TraceId;
}

/** From the request headers: W3C's `traceparent`, or `X-Request-Id`. Invalid values are ignored. */
export function traceFromHeaders(
  header: (name: string) => string | null | undefined,
): CallerTrace | undefined {
  const [, parent] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/.exec(header("traceparent") ?? "") ?? [];
  const requestId = /^[\w.:+/=@-]{1,128}$/.exec(header("x-request-id")?.trim() ?? "")?.[0];
  if (isTraceId(parent)) return { requestId: requestId ?? parent, traceId: parent };
  return requestId === undefined ? undefined : { requestId, traceId: traceIdOfRequest(requestId) };
}

/** Uses a trace id or a UUID as it is, and hashes anything else. */
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
