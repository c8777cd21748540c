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

export function isTraceId(text: unknown): text is TraceId {
  return typeof text === "string" && /^[0-9a-f]{32}$/.test(text) && text !== NONE;
}

function hash(text: string): TraceId {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
