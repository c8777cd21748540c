/** `/api/web/login/oidc`: redirects to the issuer. After the callback, a login link completes the login. */
import fs from "node:fs";
import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { LoginWays } from "../../../adapters/web/api.js";
import { HermesError } from "../../../errors.js";
import { packageFile } from "../../../package-files.js";
import { loginLink, newLoginCode } from "../../../sessions/web-login.js";
import { clientOf, isHttps } from "../../request.js";
import type { Attempts } from "../attempts.js";
import type { WebChat } from "../chat.js";
import { admit } from "./admission.js";
import { ATTEMPT_SECONDS, newAttempt, takeAttempt } from "./attempt.js";
import { Issuer, IssuerError } from "./issuer.js";

const PATH = "/login/oidc";
const PUBLIC_PATH = `/api/web${PATH}`;
const CALLBACK = `${PUBLIC_PATH}/callback`;
const COOKIE = "hermes_oidc";
const STATUS = { refused: 403, unavailable: 503 } as const;

export function oidcLogin({ config }: Pick<WebChat, "config">): LoginWays["oidc"] {
  const { issuer, label } = config.web_chat.oidc;
  return issuer === null ? null : { label, path: PUBLIC_PATH };
}

export function oidcRoutes(api: Hono, chat: WebChat, attempts: Attempts): void {
  const { oidc } = chat.config.web_chat;
  if (oidc.issuer === null) return;
  const issuer = new Issuer(oidc);
  api.get(
    PATH,
    withPage(chat, attempts, (c) => startLogin(c, chat, issuer)),
  );
  api.get(
    `${PATH}/callback`,
    withPage(chat, attempts, (c) => callback(c, chat, issuer)),
  );
}

async function startLogin(c: Context, { config, store }: WebChat, issuer: Issuer): Promise<Response> {
  const { secret, ...attempt } = await newAttempt(store);
  const url = await issuer.loginUrl(attempt, `${baseOf(c, config.web_chat.url)}${CALLBACK}`);
  // Lax: a Strict cookie wouldn't be sent when the issuer redirects back.
  const options = { httpOnly: true, sameSite: "Lax", path: "/", secure: isHttps(c) } as const;
  setCookie(c, COOKIE, secret, { ...options, maxAge: ATTEMPT_SECONDS });
  return c.redirect(url.href, 303);
}

/**
 * The web chat's cookie is Strict, so it isn't sent with a redirect from another site. Our page for login links
 * does send it, so the browser's conversations move as with every other login.
 */
async function callback(c: Context, { config, store }: WebChat, issuer: Issuer): Promise<Response> {
  const attempt = await takeAttempt(store, getCookie(c, COOKIE), c.req.query("state"));
  if (!attempt)
    throw new HermesError(
      "refused",
      "This sign-in was finished already, has expired, or began in another browser or under another address.",
    );
  deleteCookie(c, COOKIE, { path: "/" });
  const base = baseOf(c, config.web_chat.url);
  const callbackUrl = new URL(`${base}${CALLBACK}${new URL(c.req.url).search}`);
  const identity = await issuer.identify(callbackUrl, attempt);
  const admitted = admit(identity, { ...config.web_chat.oidc, owners: config.owners });
  if ("refusal" in admitted) throw new HermesError("refused", admitted.refusal);
  return c.redirect(loginLink(base, await newLoginCode(store, admitted.login)), 303);
}

/** Our URL as the browser sees it. Behind a proxy only `web_chat.url` is certain. */
function baseOf(c: Context, url: string | null): string {
  if (url !== null) return url.replace(/\/$/, "");
  const { host } = new URL(c.req.url);
  return `${isHttps(c) ? "https" : "http"}://${host}`;
}

/** The browser navigates here, so failures are HTML pages. */
function withPage(chat: WebChat, attempts: Attempts, handle: (c: Context) => Promise<Response>) {
  const html = fs.readFileSync(new URL("oidc.html", packageFile("assets/http/")), "utf8");
  return async (c: Context): Promise<Response> => {
    try {
      attempts.begin(clientOf(c));
      return await handle(c);
    } catch (error) {
      const { kind, message } = failureOf(error);
      if (error instanceof IssuerError) chat.log.warn(detail(error), "a sign-in with OpenID Connect failed");
      return c.html(html.replace("{{message}}", message), STATUS[kind]);
    }
  };
}

function failureOf(error: unknown): { kind: keyof typeof STATUS; message: string } {
  if (error instanceof IssuerError) return error;
  if (error instanceof HermesError && error.code === "refused")
    return { kind: "refused", message: error.message };
  throw error;
}

/** Selected fields: the whole error may contain tokens and claims about a person. */
function detail({ cause }: IssuerError): object {
  const {
    message = String(cause),
    code,
    error,
    error_description,
    cause: inner,
  } = cause as Record<string, unknown>;
  const reason = inner instanceof Error ? inner.message : undefined;
  const fields = { reason: message, code, error, error_description, below: reason };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value.slice(0, 300)]] : [],
    ),
  );
}
