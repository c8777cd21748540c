/** `X-Request-Id`: the caller's id or a new one, in the response and the log. */
import { randomUUID } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { type CallerTrace, traceFromHeaders } from "../trace-id.js";

const KEY = "trace";
const HEADER = "X-Request-Id";

export const requestId: MiddlewareHandler = async (c, next) => {
  const trace = traceFromHeaders((name) => c.req.header(name)) ?? newTrace();
  c.set(KEY, trace);
  await next();
  // A handler that turned the request into a message has already set the message's trace id.
  if (!c.res.headers.has(HEADER)) c.header(HEADER, trace.requestId);
};

export function requestTrace(c: Context): CallerTrace {
  return (c.get(KEY) as CallerTrace | undefined) ?? newTrace();
}

function newTrace(): CallerTrace {
  const id = randomUUID().replaceAll("-", "");
  return { requestId: id, traceId: id };
}
