/** Headers of every response: only our own scripts and styles, no framing. */
import type { MiddlewareHandler } from "hono";

const HEADERS: Record<string, string> = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // Not "no-referrer": with that, browsers send `Origin: null` with our own login form.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

export const safeHeaders: MiddlewareHandler = async (c, next) => {
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  await next();
};
