/** `X-Request-Id`: what the caller calls its request, or a name of ours; on the answer and in the log. */
import { randomUUID } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { type GivenTrace, givenTrace } from "../trace-id.js";

const KEY = "trace";
const NAME = "X-Request-Id";

export const requestId: MiddlewareHandler = async (c, next) => {
  const trace = givenTrace((name) => c.req.header(name)) ?? newTrace();
  c.set(KEY, trace);
  await next();
  // Who has made a message of the request has said its trace already.
  if (!c.res.headers.has(NAME)) c.header(NAME, trace.requestId);
};

export function requestTrace(c: Context): GivenTrace {
  return (c.get(KEY) as GivenTrace | undefined) ?? newTrace();
}

function newTrace(): GivenTrace {
  const id = randomUUID().replaceAll("-", "");
  return { requestId: id, traceId: id };
}
