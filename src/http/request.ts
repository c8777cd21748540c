/** The client's address and protocol, also behind a reverse proxy. */
import net from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { isLoopback } from "./bind.js";

export function remoteAddress(c: Context): string {
  return (c.env as HttpBindings).incoming.socket.remoteAddress ?? "unknown";
}

/** The client's address as the reverse proxy saw it: the proxy appends the last entry. */
function forwardedFor(c: Context): string | undefined {
  return c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() || undefined;
}

/** The client for rate limits. Undefined for programs on this machine; a proxy on it names its client. */
export function clientAddress(c: Context): string | undefined {
  const address = remoteAddress(c);
  const client = isLoopback(address) ? forwardedFor(c) : address;
  return client === undefined ? undefined : networkOf(client);
}

/** An IPv6 client usually has a whole /64 network, so the network counts as one client. */
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

/** The client for limits that also apply to programs on this machine. */
export function clientOf(c: Context): string {
  return clientAddress(c) ?? remoteAddress(c);
}

/** Whether the browser uses https, as the reverse proxy reports. */
export function isHttps(c: Context): boolean {
  return c.req.header("x-forwarded-proto")?.split(",")[0]?.trim() === "https";
}
