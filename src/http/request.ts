/** What a request tells about its way here. */
import net from "node:net";
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
  const client = isLoopback(address) ? forwardedFor(c) : address;
  return client === undefined ? undefined : networkOf(client);
}

/** Of version 6 everyone has a whole network (/64) of addresses: that is one client. */
function networkOf(address: string): string {
  if (!net.isIPv6(address)) return address;
  const plain = address.toLowerCase().split("%", 1)[0]!;
  if (/^::ffff:[\d.]+$/.test(plain)) return plain.slice("::ffff:".length);
  const [head = "", tail] = plain.split("::");
  const [first, last] = [head, tail ?? ""].map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = tail === undefined ? 0 : 8 - first!.length - last!.length;
  const groups = [...first!, ...Array<string>(zeros).fill("0"), ...last!].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** Who is counted where programs on this machine aren't exempt. */
export function clientOf(c: Context): string {
  return clientAddress(c) ?? remoteAddress(c);
}

/** Whether the browser's side is https: a proxy in front says so. */
export function isHttps(c: Context): boolean {
  return c.req.header("x-forwarded-proto")?.split(",")[0]?.trim() === "https";
}
