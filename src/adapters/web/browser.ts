/** Which browser asks: one principal per browser, kept in a cookie. */
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { chatIdOf, isSecret, newSecret } from "./ids.js";

const COOKIE = "hermes_web";
const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * The chat id of the asking browser, a new one at its first request. Only for requests that our page makes: when a link on
 * another site opens the page itself, a strict cookie is not sent along, and a new one would take the old one's place.
 */
export function browserChatId(c: Context): string {
  const known = getCookie(c, COOKIE);
  if (isSecret(known)) return chatIdOf(known);
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
