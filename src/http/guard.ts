/** Checks Host and Origin, so that other web pages in the user's browser can't use this server. */
import net from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { isLoopback, isWildcard, plainHost } from "./bind.js";
import { fault } from "./faults.js";

/**
 * The Host header reveals DNS rebinding: a page whose own name points at our address. IP addresses can't be
 * rebound, so a server that listens on all interfaces accepts any of them.
 */
export function checkHost(boundTo: string, otherNames: readonly string[] = []): MiddlewareHandler {
  const names = new Set([boundTo, ...otherNames].map(plainHost));
  const isAllowed = (host: string) =>
    isLoopback(host) || names.has(host) || (isWildcard(boundTo) && net.isIP(host) !== 0);
  return async (c, next) => {
    const host = hostnameOf(c.req.header("host"));
    if (host !== undefined && isAllowed(host)) return next();
    return fault(c, 403, "refused", "This server doesn't answer to that Host name");
  };
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Browsers always send Origin with requests that change something. It must be ours. Programs send none. */
export const checkOrigin: MiddlewareHandler = async (c, next) => {
  if (isCrossOrigin(c)) return fault(c, 403, "refused", "Requests from other sites are refused");
  return next();
};

function isCrossOrigin(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  const isOtherOrigin = site === "cross-site" || site === "same-site";
  // Another site may link to our pages, but not read from them.
  if (SAFE_METHODS.has(c.req.method)) return isOtherOrigin && c.req.header("sec-fetch-mode") !== "navigate";
  const origin = c.req.header("origin");
  return isOtherOrigin || (origin !== undefined && !isSameOrigin(origin, c.req.header("host")));
}

/** Ignores the scheme: a reverse proxy may use https where we use http. */
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
