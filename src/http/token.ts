/** Checks the token. Programs send it as a Bearer header; browsers have a login cookie signed with it. */
import { createHmac } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { LoginThrottle } from "../login-throttle.js";
import { bearerOf, isSameSecret } from "../secret.js";
import { fault } from "./faults.js";
import { clientOf, isHttps } from "./request.js";

const COOKIE = "hermes_login";
const LOGIN_SECONDS = 30 * 24 * 3600;
const LOGGED_IN = "logged-in";

export interface TokenCheck {
  token: string;
  throttle: LoginThrottle;
  /** Whether a path needs no token, or has its own secret. */
  isOpen(path: string): boolean;
  /** Whether the sender is signed in otherwise, and may use this path. */
  isGuest?(c: Context): Promise<boolean>;
  /** Whether the owner is still signed in on this device. */
  isOwnerDevice?(device: string): Promise<boolean>;
}

type LoginCheck = Pick<TokenCheck, "token" | "isOwnerDevice">;

export function requireToken({ isOpen, isGuest, ...check }: TokenCheck): MiddlewareHandler {
  const { token, throttle } = check;
  return async (c, next) => {
    if (isOpen(c.req.path)) return next();
    const isLoggedIn = loginOf(c, check);
    if (await isLoggedIn?.()) {
      c.set(LOGGED_IN, isLoggedIn);
      return next();
    }
    if (await isGuest?.(c)) return next();
    const bearer = bearerOf(c.req.header("authorization"));
    if (bearer !== undefined) {
      const verdict = throttle.check(clientOf(c), () => isSameSecret(bearer, token));
      if (verdict === "right") return next();
      if (verdict === "too_many") return fault(c, 429, "refused", "Too many wrong tokens; wait a minute");
    } else if (wantsPage(c)) return c.redirect(loginPath(c));
    c.header("WWW-Authenticate", "Bearer");
    return fault(c, 401, "refused", "This server needs its token: Authorization: Bearer <http.token>");
  };
}

/**
 * SameSite is Lax, so that a browser that follows a link from a chat is logged in. Requests that change
 * something check the Origin. A device's login ends when the device is signed out; every login ends when the
 * token changes.
 */
export function setLogin(c: Context, token: string, now: number, device?: string): void {
  const expires = Math.floor(now) + LOGIN_SECONDS;
  const parts = [expires, sign(token, expires, device), ...(device === undefined ? [] : [device])];
  setCookie(c, COOKIE, parts.join("."), {
    httpOnly: true,
    sameSite: "Lax",
    path: "/",
    maxAge: LOGIN_SECONDS,
    secure: isHttps(c),
  });
}

export function endLogin(c: Context): void {
  deleteCookie(c, COOKIE, { path: "/" });
}

/** Returns to the requested page after the login. */
function loginPath(c: Context): string {
  const { pathname, search } = new URL(c.req.url);
  return pathname === "/" ? "/login" : `/login?${new URLSearchParams({ next: pathname + search })}`;
}

const LOGIN = /^(\d{1,12})\.([\w-]{1,100})(?:\.([\w-]{1,100}))?$/;

/** Returns a check whether the login is still valid; undefined: the request has no valid login cookie. */
function loginOf(c: Context, { token, isOwnerDevice }: LoginCheck): (() => Promise<boolean>) | undefined {
  const [, expires, signature, device] = LOGIN.exec(getCookie(c, COOKIE) ?? "") ?? [];
  if (expires === undefined || signature === undefined) return undefined;
  if (!isSameSecret(signature, sign(token, Number(expires), device))) return undefined;
  return async () =>
    Number(expires) * 1000 >= Date.now() &&
    (device === undefined || ((await isOwnerDevice?.(device)) ?? false));
}

/** For event streams: whether the login of the request is still valid. */
export async function isStillLoggedIn(c: Context): Promise<boolean> {
  const isLoggedIn = c.get(LOGGED_IN) as (() => Promise<boolean>) | undefined;
  return (await isLoggedIn?.()) ?? true;
}

function sign(token: string, expires: number, device?: string): string {
  const of = device === undefined ? "" : ` of ${device}`;
  return createHmac("sha256", token).update(`hermes login until ${expires}${of}`).digest("base64url");
}

function wantsPage(c: Context): boolean {
  return c.req.method === "GET" && (c.req.header("accept") ?? "").includes("text/html");
}
