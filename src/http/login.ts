/** The login page: the user enters the token, and the browser gets a login cookie. */
import fs from "node:fs";
import type { Hono } from "hono";
import { nowSeconds } from "../clock.js";
import type { LoginThrottle } from "../login-throttle.js";
import { packageFile } from "../package-files.js";
import { isSameSecret } from "../secret.js";
import { escapeHtml } from "../text/dialect.js";
import { clientOf } from "./request.js";
import { endLogin, setLogin } from "./token.js";

const ASSETS = packageFile("assets/http/");

export const LOGIN_PATHS = ["/login", "/login.css"] as const;

/** Other ways to sign in, for people who don't have the token. */
export interface OtherLogins {
  /** A link to a path on this server. */
  link: { label: string; path: string } | null;
  /** Whether the owner has set names and passwords. The form posts to `/login/password`. */
  password: boolean;
}

/** By error code. */
const FAILURES: Partial<Record<string, string>> = {
  refused: "The name or the password is wrong. After ten wrong ones, wait a minute.",
  conflict: "An answer is being written in this browser. Wait for it, then sign in.",
};

export function loginRoutes(
  app: Hono,
  token: string,
  throttle: LoginThrottle,
  others: () => Promise<OtherLogins> = async () => ({ link: null, password: false }),
): void {
  const html = fs.readFileSync(new URL("login.html", ASSETS), "utf8");
  const passwordForm = fs.readFileSync(new URL("login-password.html", ASSETS), "utf8");
  const css = fs.readFileSync(new URL("login.css", ASSETS), "utf8");
  const page = async (next: string, texts: { message?: string; failure?: string | undefined } = {}) => {
    const { message = "", failure = "" } = texts;
    const { link, password } = await others();
    // Only the owner may open the dashboard, so a name and a password don't help there.
    const form = password && !next.startsWith("/dashboard") ? passwordForm : "";
    return html
      .replace("{{password}}", () => form)
      .replace("{{failure}}", failure)
      .replace("{{message}}", message)
      .replace("{{other}}", () => (link ? `<p><a href="${link.path}">${escapeHtml(link.label)}</a></p>` : ""))
      .replaceAll("{{next}}", next.replaceAll("&", "&amp;"));
  };

  app.get("/login", async (c) => {
    const failed = c.req.query("failed") ?? "";
    const failure = Object.hasOwn(FAILURES, failed) ? FAILURES[failed] : undefined;
    return c.html(await page(safeNext(c.req.query("next")), { failure }));
  });
  app.get("/login.css", (c) => c.body(css, 200, { "Content-Type": "text/css; charset=utf-8" }));
  app.post("/login", async (c) => {
    const body = await c.req.parseBody();
    const next = safeNext(body.next);
    const isRight = () => typeof body.token === "string" && isSameSecret(body.token.trim(), token);
    const verdict = throttle.check(clientOf(c), isRight);
    if (verdict === "too_many")
      return c.html(await page(next, { message: "Too many wrong tokens. Wait a minute." }), 429);
    if (verdict === "wrong") return c.html(await page(next, { message: "That is not the token." }), 401);
    setLogin(c, token, nowSeconds());
    return c.redirect(next, 303);
  });
  app.post("/logout", (c) => {
    endLogin(c);
    return c.redirect("/login", 303);
  });
}

/** Where to go after the login: a path on this server that is safe in HTML, otherwise `/`. */
export function safeNext(next: unknown): string {
  return typeof next === "string" && /^\/(?![/\\])[\w\-./?=&%:~,+]*$/.test(next) ? next : "/";
}
