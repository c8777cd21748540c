/** Limits the rate and the size of requests. */
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { RateLimit } from "../rate-limit.js";
import { fault } from "./faults.js";
import { clientAddress } from "./request.js";

const MEGABYTE = 1024 * 1024;

/** Per client address. 0: no limit. */
export function limitRate(perMinute: number): MiddlewareHandler {
  const limit = new RateLimit(perMinute);
  return async (c, next) => {
    const client = clientAddress(c);
    const seconds = client === undefined || perMinute === 0 ? 0 : limit.take(client);
    if (seconds === 0) return next();
    c.header("Retry-After", String(seconds));
    return fault(c, 429, "refused", `Too many requests: at most ${perMinute} a minute`);
  };
}

export function limitBody(megabytes = 1): MiddlewareHandler {
  return bodyLimit({
    maxSize: megabytes * MEGABYTE,
    onError: (c) => {
      // Closing at once would lose the response while the rest of the body is in flight. With keep-alive the
      // server first reads that for half a second.
      (c.env as HttpBindings).outgoing.shouldKeepAlive = true;
      return fault(c, 413, "invalid", `The request body is larger than ${megabytes} MB`);
    },
  });
}
