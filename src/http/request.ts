/** What a request tells about its way here. */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

export function remoteAddress(c: Context): string {
  return (c.env as HttpBindings).incoming.socket.remoteAddress ?? "unknown";
}

/** The client that a proxy in front asks for, as the proxy saw it: the last entry is its own. */
export function forwardedFor(c: Context): string | undefined {
  return c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() || undefined;
}

/** Whether the browser's side is https: a proxy in front says so. */
export function isHttps(c: Context): boolean {
  return c.req.header("x-forwarded-proto")?.split(",")[0]?.trim() === "https";
}
