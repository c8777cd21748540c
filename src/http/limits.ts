/** How much and how often a client may ask. */
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { RateLimit } from "../rate-limit.js";
import { isLoopback } from "./bind.js";
import { fault } from "./faults.js";
import { forwardedFor, remoteAddress } from "./request.js";

const MEGABYTE = 1024 * 1024;

/** By address. Programs on this machine are let be; a proxy on it says for whom it asks. */
export function limitRate(perMinute: number): MiddlewareHandler {
  const limit = new RateLimit(perMinute);
  return async (c, next) => {
    const address = remoteAddress(c);
    const client = isLoopback(address) ? forwardedFor(c) : address;
    const seconds = client === undefined || perMinute === 0 ? 0 : limit.take(client);
    if (seconds === 0) return next();
    c.header("Retry-After", String(seconds));
    return fault(c, 429, "refused", `Too many requests: at most ${perMinute} a minute`);
  };
}

/** Of the whole server; parts of it may take more. */
export function limitBody(megabytes = 1): MiddlewareHandler {
  return bodyLimit({
    maxSize: megabytes * MEGABYTE,
    onError: (c) => fault(c, 413, "invalid", `That is more than ${megabytes} MB`),
  });
}
