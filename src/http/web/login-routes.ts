/** `/api/web/login/…`, devices, passwords, and the page of login links. */
import fs from "node:fs";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Me, PasswordLogin } from "../../adapters/web/api.js";
import { nowSeconds } from "../../clock.js";
import { describeError, HermesError } from "../../errors.js";
import { packageFile } from "../../package-files.js";
import { findLogin, type WebLogin } from "../../sessions/web-login.js";
import { type OtherLogins, safeNext } from "../login.js";
import { bodyOf } from "../params.js";
import { clientOf } from "../request.js";
import { setLogin } from "../token.js";
import { Attempts } from "./attempts.js";
import { param, type WebChat } from "./chat.js";
import { oidcLogin, oidcRoutes } from "./oidc/routes.js";
import {
  checkPassword,
  MAX_CHARS,
  MIN_CHARS,
  passwordNames,
  removePassword,
  setPassword,
} from "./passwords.js";
import { devicesOf, requireIdle, signIn, signOut } from "./people.js";
import type { Visitor } from "./visitor.js";

const PASSWORD_LOGIN = { name: z.string().max(100), password: z.string().max(MAX_CHARS) };

export interface LoginParts {
  chat: WebChat;
  visitor(c: Context): Promise<Visitor>;
  me(person: Visitor): Promise<Me>;
}

export function loginRoutes(app: Hono, api: Hono, { chat, visitor, me }: LoginParts): void {
  const attempts = new Attempts();
  /** Codes in use: a second request with the same code is refused. */
  const codesInUse = new Set<string>();
  const enter = async (c: Context, login: (WebLogin & { id?: string }) | undefined, refusal: string) => {
    if (!login) throw new HermesError("refused", refusal);
    attempts.succeeded(clientOf(c));
    const person = await signIn(c, chat, login);
    // The operator's link also opens the dashboard.
    if (login.owner && chat.ownerToken)
      setLogin(c, chat.ownerToken, nowSeconds(), person.deviceId ?? undefined);
    return person;
  };
  api.post("/login/link", async (c) => {
    await requireIdle(c, chat);
    attempts.begin(clientOf(c));
    const { code } = await bodyOf(c, { code: z.string().max(100) });
    const refusal =
      "This link was already used, or has expired. The operator gets a new one with hermes dashboard, others with /login in a chat.";
    if (codesInUse.has(code)) throw new HermesError("refused", refusal);
    codesInUse.add(code);
    try {
      return c.json(await me(await enter(c, await findLogin(chat.store, code), refusal)));
    } finally {
      codesInUse.delete(code);
    }
  });
  const enterWithPassword = async (c: Context, { name, password }: PasswordLogin) => {
    await requireIdle(c, chat);
    attempts.begin(clientOf(c));
    const login = await checkPassword(chat, name, password);
    return enter(c, login, "The name or the password is wrong");
  };
  api.post("/login/password", async (c) => {
    const body = await bodyOf(c, PASSWORD_LOGIN);
    return c.json(await me(await enterWithPassword(c, body)));
  });
  // The form on the login page.
  app.post("/login/password", async (c) => {
    const { next: requestedNext, ...fields } = await c.req.parseBody();
    const next = safeNext(requestedNext);
    const parsed = z.object(PASSWORD_LOGIN).safeParse(fields);
    try {
      await enterWithPassword(c, parsed.data ?? { name: "", password: "" });
      return c.redirect(next, 303);
    } catch (error) {
      const { code } = describeError(error);
      if (code !== "refused" && code !== "conflict") throw error;
      return c.redirect(`/login?${new URLSearchParams({ next, failed: code })}`, 303);
    }
  });
  api.post("/logout", async (c) => {
    const person = await visitor(c);
    if (person.deviceId) await signOut(chat, person, person.deviceId);
    return c.body(null, 204);
  });
  api.get("/devices", async (c) => c.json({ devices: await devicesOf(chat, await visitor(c)) }));
  api.delete("/devices/:device", async (c) => {
    await signOut(chat, await visitor(c), param(c, "device"));
    return c.body(null, 204);
  });
  passwordRoutes(api, chat, visitor);
  oidcRoutes(api, chat, attempts);
}

function passwordRoutes(api: Hono, chat: WebChat, visitor: LoginParts["visitor"]): void {
  const requireOwner = async (c: Context) => {
    if (!(await visitor(c)).owner) throw new HermesError("refused", "Only the owner can do that");
  };
  api.get("/passwords", async (c) => {
    await requireOwner(c);
    return c.json({ names: await passwordNames(chat) });
  });
  api.put("/passwords/:name", async (c) => {
    await requireOwner(c);
    const { password } = await bodyOf(c, { password: z.string().min(MIN_CHARS).max(MAX_CHARS) });
    chat.adapter.live.cut(await setPassword(chat, param(c, "name"), password));
    return c.body(null, 204);
  });
  api.delete("/passwords/:name", async (c) => {
    await requireOwner(c);
    chat.adapter.live.cut(await removePassword(chat, param(c, "name")));
    return c.body(null, 204);
  });
}

/** Logins that the login page offers besides the token. */
export async function otherLogins(chat: WebChat): Promise<OtherLogins> {
  return { link: oidcLogin(chat), password: (await passwordNames(chat)).length > 0 };
}

const ASSETS = packageFile("assets/http/");

/** The code is in the URL's fragment, so that a chat's link preview doesn't use it up. */
export function linkPage(app: Hono): void {
  const html = fs.readFileSync(new URL("link.html", ASSETS), "utf8");
  const script = fs.readFileSync(new URL("link.js", ASSETS), "utf8");
  app.get("/login/link", (c) => c.html(html));
  app.get("/login/link.js", (c) => c.body(script, 200, { "Content-Type": "text/javascript; charset=utf-8" }));
}
