/** What a request tells about its way here. */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

export function remoteAddress(c: Context): string {
  return (c.env as HttpBindings).incoming.socket.remoteAddress ?? "unknown";
}

/** Whether the browser's side is https: a proxy in front says so. */
export function isHttps(c: Context): boolean {
  return c.req.header("x-forwarded-proto")?.split(",")[0]?.trim() === "https";
}
