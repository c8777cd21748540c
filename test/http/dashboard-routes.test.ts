import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operatorActions } from "../../src/store/operator-actions.js";
import { forSeveral } from "../support/at-end.js";
import { type Endpoints, personsCookie, type Route, startEndpoints } from "./support/dashboard-routes.js";
import { statusOf } from "./support/request.js";

/** Every endpoint of the dashboard, as the server itself lists them: a new one is tested without a line here. */

describe.each([
  { what: "with http.token", token: "the-operators-own-token" },
  { what: "with the token in the home", token: null },
])("$what", ({ token }) => {
  let endpoints: Endpoints;
  let end: () => Promise<void>;
  let owner: Record<string, string>;
  let clients = 0;

  beforeAll(async () => {
    ({ made: endpoints, end } = await forSeveral(() => startEndpoints(token)));
    const { home } = endpoints.running;
    const known = token ?? fs.readFileSync(path.join(home, "dashboard.token"), "utf8").trim();
    owner = { authorization: `Bearer ${known}` };
  });
  afterAll(() => end?.());

  /** Each as another client: wrong tokens are counted. The body makes no sense, so that nothing happens. */
  const ask = ({ method, path: at }: Route, headers: Record<string, string> = {}) =>
    statusOf(`${endpoints.url}${at}`, {
      method,
      headers: {
        "content-type": "application/json",
        "x-forwarded-for": `198.51.100.${(clients++ % 250) + 1}`,
        ...headers,
      },
      ...(method === "GET" ? {} : { body: "[]" }),
    });
  const named = ({ method, pattern }: Route) => `${method} ${pattern}`;
  const changing = () => endpoints.routes.filter(({ method }) => method !== "GET");

  it("there are endpoints, and what changes something is a POST", () => {
    expect(endpoints.routes.map(named)).toEqual(
      expect.arrayContaining([
        "GET /api/dashboard/overview",
        "GET /api/dashboard/sessions/:id",
        "POST /api/dashboard/dead/discard",
        "GET /dashboard/*",
      ]),
    );
    expect(new Set(endpoints.routes.map(({ method }) => method))).toEqual(new Set(["GET", "POST"]));
  });

  it("only the owner gets in", async () => {
    const cookie = await personsCookie(endpoints);
    for (const route of endpoints.routes) {
      const others = {
        "no token": {},
        "a wrong token": { authorization: "Bearer a-strangers-token" },
        "an empty token": { authorization: "Bearer " },
        "a paired person": { cookie },
        "a made-up login": { cookie: "hermes_login=99999999999.AAAA" },
      };
      for (const [who, headers] of Object.entries(others))
        expect(await ask(route, headers), `${named(route)} by ${who}`).toBe(401);
      expect([401, 403, 429], `${named(route)} by the owner`).not.toContain(await ask(route, owner));
    }
  });

  it("pages redirect everyone else to the login", async () => {
    for (const route of endpoints.routes.filter(({ pattern }) => pattern.startsWith("/dashboard")))
      expect(await ask(route, { accept: "text/html" }), named(route)).toBe(302);
  });

  it("requests of other sites are refused", async () => {
    for (const route of endpoints.routes) {
      const fetched = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
      expect(await ask(route, { ...owner, ...fetched }), named(route)).toBe(403);
    }
    for (const route of changing()) {
      for (const origin of ["http://evil.example", "null", "http://localhost:1"])
        expect(await ask(route, { ...owner, origin }), `${named(route)} from ${origin}`).toBe(403);
      // What a form of another site can send without asking first.
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
        expect(await ask(route, { ...owner, "content-type": type }), `${named(route)} as ${type}`).toBe(400);
    }
  });

  it("every change by an owner leaves a row of the audit, also if it is refused", async () => {
    const { store } = endpoints.running;
    const newest = async () => (await operatorActions(store, { limit: 1 })).actions[0];
    for (const route of changing()) {
      const before = await newest();
      expect(await ask(route, owner), named(route)).toBe(400);
      const after = await newest();
      expect(after?.id, named(route)).not.toBe(before?.id);
      expect(after, named(route)).toMatchObject({ who: "owner", from: "127.0.0.1", outcome: "invalid" });
      expect(route.path).toContain(after!.action);
    }
  });
});
