/** `/api/web/login/oidc`: to the issuer and back. A browser that comes back goes on with a login link. */
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
    withPage(chat, attempts, (c) => leave(c, chat, issuer)),
  );
  api.get(
    `${PATH}/callback`,
    withPage(chat, attempts, (c) => comeBack(c, chat, issuer)),
  );
}

async function leave(c: Context, { config, store }: WebChat, issuer: Issuer): Promise<Response> {
  const { secret, ...attempt } = await newAttempt(store);
  const url = await issuer.loginUrl(attempt, `${baseOf(c, config.web_chat.url)}${CALLBACK}`);
  // Lax: the issuer's page sends the browser back here.
  const usual = { httpOnly: true, sameSite: "Lax", path: "/", secure: isHttps(c) } as const;
  setCookie(c, COOKIE, secret, { ...usual, maxAge: ATTEMPT_SECONDS });
  return c.redirect(url.href, 303);
}

/**
 * The browser's own cookie is Strict and isn't sent with a way back from another site. The page of login links is ours, so its
 * request has the cookie, and the browser's conversations move as with every other login.
 */
async function comeBack(c: Context, { config, store }: WebChat, issuer: Issuer): Promise<Response> {
  const attempt = await takeAttempt(store, getCookie(c, COOKIE), c.req.query("state"));
  if (!attempt)
    throw new HermesError(
      "refused",
      "This sign-in was finished already, has expired, or began in another browser or under another address.",
    );
  deleteCookie(c, COOKIE, { path: "/" });
  const base = baseOf(c, config.web_chat.url);
  const answer = new URL(`${base}${CALLBACK}${new URL(c.req.url).search}`);
  const identity = await issuer.identify(answer, attempt);
  const admitted = admit(identity, { ...config.web_chat.oidc, owners: config.owners });
  if ("refusal" in admitted) throw new HermesError("refused", admitted.refusal);
  return c.redirect(loginLink(base, await newLoginCode(store, admitted.login)), 303);
}

/** As the browser knows us: behind a proxy only `web_chat.url` says it. */
function baseOf(c: Context, url: string | null): string {
  if (url !== null) return url.replace(/\/$/, "");
  const { host } = new URL(c.req.url);
  return `${isHttps(c) ? "https" : "http"}://${host}`;
}

/** Browsers come here by themselves, so failures are pages. */
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

/** Not the whole error: it may have tokens and what the issuer says about a person. */
function detail({ cause }: IssuerError): object {
  const {
    message = String(cause),
    code,
    error,
    error_description,
    cause: below,
  } = cause as Record<string, unknown>;
  const reason = below instanceof Error ? below.message : undefined;
  const fields = { reason: message, code, error, error_description, below: reason };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value.slice(0, 300)]] : [],
    ),
  );
}
