/** `/api/web/login/…`, devices, passwords, and the page that a login link opens. */
import fs from "node:fs";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { Me } from "../../adapters/web/api.js";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import { packageFile } from "../../package-files.js";
import { takeLoginCode, type WebLogin } from "../../sessions/web-login.js";
import { bodyOf } from "../params.js";
import { clientOf } from "../request.js";
import { setLogin } from "../token.js";
import { Attempts } from "./attempts.js";
import { param, type WebChat } from "./chat.js";
import { oidcRoutes } from "./oidc/routes.js";
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

export interface LoginRoutes {
  chat: WebChat;
  visitor(c: Context): Promise<Visitor>;
  me(person: Visitor): Promise<Me>;
}

export function loginRoutes(api: Hono, { chat, visitor, me }: LoginRoutes): void {
  const attempts = new Attempts();
  const enter = async (c: Context, found: WebLogin | undefined, refusal: string) => {
    if (!found) throw new HermesError("refused", refusal);
    attempts.succeeded(clientOf(c));
    const person = await signIn(c, chat, found);
    // The operator's link opens the dashboard, too.
    if (found.owner && chat.ownerToken) setLogin(c, chat.ownerToken, nowSeconds());
    return c.json(await me(person));
  };
  api.post("/login/link", async (c) => {
    await requireIdle(c, chat);
    attempts.begin(clientOf(c));
    const { code } = await bodyOf(c, { code: z.string().max(100) });
    return enter(
      c,
      await takeLoginCode(chat.store, code),
      "This link was used, or has expired; ask for a new one",
    );
  });
  api.post("/login/password", async (c) => {
    await requireIdle(c, chat);
    attempts.begin(clientOf(c));
    const given = await bodyOf(c, { name: z.string().max(100), password: z.string().max(MAX_CHARS) });
    const found = await checkPassword(chat, given.name, given.password);
    return enter(c, found, "The name or the password is wrong");
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

function passwordRoutes(api: Hono, chat: WebChat, visitor: LoginRoutes["visitor"]): void {
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
    await setPassword(chat, param(c, "name"), password);
    return c.body(null, 204);
  });
  api.delete("/passwords/:name", async (c) => {
    await requireOwner(c);
    await removePassword(chat, param(c, "name"));
    return c.body(null, 204);
  });
}

const ASSETS = packageFile("assets/http/");

/** The code is behind the `#`: chats that look at links for a preview don't use it up. */
export function linkPage(app: Hono): void {
  const html = fs.readFileSync(new URL("link.html", ASSETS), "utf8");
  const script = fs.readFileSync(new URL("link.js", ASSETS), "utf8");
  app.get("/login/link", (c) => c.html(html));
  app.get("/login/link.js", (c) => c.body(script, 200, { "Content-Type": "text/javascript; charset=utf-8" }));
}
