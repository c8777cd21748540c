import path from "node:path";
import type { Hono } from "hono";
import { type RunningGateway, startGateway } from "../../../src/main.js";
import { webPersonOf } from "../../../src/policies/web-person.js";
import { newLoginCode } from "../../../src/sessions/web-login.js";
import { atEnd } from "../../support/at-end.js";
import { tempDir } from "../../support/temp.js";
import { Browser } from "../../support/web-chat.js";

export interface Route {
  method: string;
  /** As it is registered: `/api/dashboard/sessions/:id`. */
  pattern: string;
  /** One that matches. */
  path: string;
}

export interface Endpoints {
  running: RunningGateway;
  url: string;
  routes: Route[];
}

/** A gateway in this process, and every route of its dashboard as the HTTP server knows them. */
export async function startEndpoints(token: string | null): Promise<Endpoints> {
  let app: Hono | undefined;
  const running = await startGateway({
    env: { HERMES_HOME: path.join(tempDir(), "home"), HERMES_LOG_LEVEL: "silent" },
    flags: { "http.port": 0, ...(token === null ? {} : { "http.token": token }) },
    routes: (given) => {
      app = given;
    },
  });
  atEnd(() => running.stop());
  return { running, url: running.url!, routes: dashboardRoutes(app!) };
}

function dashboardRoutes(app: Hono): Route[] {
  const seen = new Map<string, Route>();
  for (const { method, path: pattern } of app.routes) {
    const isOurs = pattern.startsWith("/api/dashboard/") || pattern.startsWith("/dashboard");
    // Middleware is registered for all methods.
    if (!isOurs || method === "ALL") continue;
    seen.set(`${method} ${pattern}`, { method, pattern, path: exampleOf(pattern) });
  }
  return [...seen.values()];
}

/** `/sessions/:id` → `/sessions/nothing`; `:id{[0-9]+}` → 1. */
function exampleOf(pattern: string): string {
  return pattern
    .split("/")
    .map((part) => {
      if (part === "*") return "anything";
      if (!part.startsWith(":")) return part;
      return part.includes("{[0-9]+}") ? "1" : "nothing";
    })
    .join("/");
}

/** The cookie of a person who is signed in to the web chat and is no owner. */
export async function personsCookie({ url, running }: Endpoints): Promise<string> {
  const browser = new Browser(url);
  const person = { person: webPersonOf("telegram:4711"), name: "Ann", owner: false };
  const code = await newLoginCode(running.store, person);
  const { status, headers } = await browser.ask("POST", "login/link", { code });
  if (status !== 200) throw new Error(`the person can't sign in: ${status}`);
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]!);
  return [...new Set([...cookies, browser.cookie!])].join("; ");
}
