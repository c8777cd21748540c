/** The page where a browser shows the token once. */
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

/** Another way to sign in: a link to a path of ours. */
export interface OtherLogin {
  label: string;
  path: string;
}

export function loginRoutes(
  app: Hono,
  token: string,
  throttle: LoginThrottle,
  other?: OtherLogin | null,
): void {
  const link = other ? `<p><a href="${other.path}">${escapeHtml(other.label)}</a></p>` : "";
  const html = fs.readFileSync(new URL("login.html", ASSETS), "utf8").replace("{{other}}", () => link);
  const css = fs.readFileSync(new URL("login.css", ASSETS), "utf8");
  const page = (message: string, next: string) =>
    html.replace("{{message}}", message).replace("{{next}}", next.replaceAll("&", "&amp;"));

  app.get("/login", (c) => c.html(page("", wayBack(c.req.query("next")))));
  app.get("/login.css", (c) => c.body(css, 200, { "Content-Type": "text/css; charset=utf-8" }));
  app.post("/login", async (c) => {
    const { token: given, next: wanted } = await c.req.parseBody();
    const next = wayBack(wanted);
    const isRight = () => typeof given === "string" && isSameSecret(given.trim(), token);
    const verdict = throttle.check(clientOf(c), isRight);
    if (verdict === "too_many") return c.html(page("Too many wrong tokens. Wait a minute.", next), 429);
    if (verdict === "wrong") return c.html(page("That is not the token.", next), 401);
    setLogin(c, token, nowSeconds());
    return c.redirect(next, 303);
  });
  app.post("/logout", (c) => {
    endLogin(c);
    return c.redirect("/login", 303);
  });
}

/** A local path or `/`: never another host, never characters that break out of HTML. */
function wayBack(next: unknown): string {
  return typeof next === "string" && /^\/(?![/\\])[\w\-./?=&%:~,+]*$/.test(next) ? next : "/";
}
