/** One principal per browser, kept in a cookie. */
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { HermesError } from "../../errors.js";
import { chatIdOf, isSecret, newSecret } from "./ids.js";

const COOKIE = "hermes_web";
const YEAR_SECONDS = 365 * 24 * 3600;

/** The browser's chat id. Our own page's first request gets a new one; other requests without one are rejected. */
export function browserChatId(c: Context): string {
  const known = getCookie(c, COOKIE);
  if (isSecret(known)) return chatIdOf(known);
  if (!mayStartChat(c)) {
    throw new HermesError("refused", "This request has no chat identity", {
      hint: "Open the chat page: only the page itself can start a chat.",
    });
  }
  return newBrowser(c);
}

/** The id of a browser that has its cookie; undefined if it has none. */
export function knownBrowser(c: Context): string | undefined {
  const known = getCookie(c, COOKIE);
  return isSecret(known) ? chatIdOf(known) : undefined;
}

/** Gives the browser a new identity, in place of the one that it has. */
export function newBrowser(c: Context): string {
  const secret = newSecret();
  setCookie(c, COOKIE, secret, {
    httpOnly: true,
    sameSite: "Strict",
    path: "/",
    maxAge: YEAR_SECONDS,
    secure: c.req.header("x-forwarded-proto")?.split(",")[0]?.trim() === "https",
  });
  return chatIdOf(secret);
}

/**
 * A link on another site opens our URLs without the Strict cookie, so a new one would replace the browser's identity. Browsers
 * say where a request comes from on https and localhost; elsewhere a navigation is known by asking for HTML.
 */
function mayStartChat(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" && c.req.header("sec-fetch-mode") !== "navigate";
  return !c.req.header("accept")?.includes("text/html");
}
