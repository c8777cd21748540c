/** Who is being asked (Host) and who is asking (Origin): keeps other web pages out of the user's browser. */
import net from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { isLoopback, isWildcard, plainHost } from "./bind.js";
import { fault } from "./faults.js";

/**
 * A page that points its own name at our address (DNS rebinding) is given away by the Host header. An address can't be
 * rebound, so a server on all addresses may be called by any of them.
 */
export function checkHost(boundTo: string, otherNames: readonly string[] = []): MiddlewareHandler {
  const names = new Set([boundTo, ...otherNames].map(plainHost));
  const isOurs = (host: string) =>
    isLoopback(host) || names.has(host) || (isWildcard(boundTo) && net.isIP(host) !== 0);
  return async (c, next) => {
    const host = hostnameOf(c.req.header("host"));
    if (host !== undefined && isOurs(host)) return next();
    return fault(c, 403, "refused", "This server doesn't answer to that Host name");
  };
}

const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** Programs send no Origin; browsers always do when something is to change. Then it must be our own page's. */
export const checkOrigin: MiddlewareHandler = async (c, next) => {
  if (isForeign(c)) return fault(c, 403, "refused", "Requests from other sites are refused");
  return next();
};

function isForeign(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  const fromElsewhere = site === "cross-site" || site === "same-site";
  // A link on another site may open our pages; only that.
  if (READING.has(c.req.method)) return fromElsewhere && c.req.header("sec-fetch-mode") !== "navigate";
  const origin = c.req.header("origin");
  return fromElsewhere || (origin !== undefined && !isSameOrigin(origin, c.req.header("host")));
}

/** The scheme is left out: a proxy in front may speak https where we speak http. */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const ours = host !== undefined && url && parseHost(host, url.protocol);
  return Boolean(ours && url && /^https?:$/.test(url.protocol) && url.host === ours.host);
}

function hostnameOf(header: string | undefined): string | undefined {
  const url = header === undefined ? undefined : parseHost(header, "http:");
  return url && plainHost(url.hostname);
}

function parseHost(header: string, protocol: string): URL | undefined {
  const text = `${protocol}//${header}`;
  const isHostOnly = /^[^/\\?#@\s]+$/.test(header);
  return isHostOnly && URL.canParse(text) ? new URL(text) : undefined;
}
