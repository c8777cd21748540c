/** What a request tells about its way here. */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { isLoopback } from "./bind.js";

export function remoteAddress(c: Context): string {
  return (c.env as HttpBindings).incoming.socket.remoteAddress ?? "unknown";
}

/** The client that a proxy in front asks for, as the proxy saw it: the last entry is its own. */
function forwardedFor(c: Context): string | undefined {
  return c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() || undefined;
}

/** Who is counted and limited: programs on this machine are let be, and a proxy on it says for whom it asks. */
export function clientAddress(c: Context): string | undefined {
  const address = remoteAddress(c);
  return isLoopback(address) ? forwardedFor(c) : address;
}

/** Whose wrong guesses are counted: everybody's, each for themselves. */
export function guesser(c: Context): string {
  return clientAddress(c) ?? remoteAddress(c);
}

/** Whether the browser's side is https: a proxy in front says so. */
export function isHttps(c: Context): boolean {
  return c.req.header("x-forwarded-proto")?.split(",")[0]?.trim() === "https";
}
