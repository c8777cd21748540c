import fs from "node:fs";
import path from "node:path";
import type { Hono } from "hono";
import { expect, it } from "vitest";
import { startGateway } from "../src/main.js";
import { atEnd } from "./support/at-end.js";
import { tempDir } from "./support/temp.js";

it("docs/reference/http.md names every path of the port, and no other", async () => {
  let app: Hono | undefined;
  const running = await startGateway({
    env: { HERMES_HOME: path.join(tempDir(), "home"), HERMES_LOG_LEVEL: "silent" },
    flags: { "http.port": 0 },
    routes: (given) => {
      app = given;
    },
  });
  atEnd(() => running.stop());
  const page = fs.readFileSync(new URL("../docs/reference/http.md", import.meta.url), "utf8");
  const named = [...page.matchAll(/^\| `(\/[^`]*)` \|/gm)].map(([, name]) => name!);
  const served = app!.routes.map((route) => route.path).filter((route) => route !== "/*");
  const belongs = (route: string, name: string) =>
    route === name || (name.endsWith("/") ? name !== "/" && route.startsWith(name) : isBelow(route, name));
  expect(served.filter((route) => !named.some((name) => belongs(route, name)))).toEqual([]);
  expect(named.filter((name) => !served.some((route) => belongs(route, name)))).toEqual([]);
});

/** `/login.css` belongs to `/login`. */
function isBelow(route: string, name: string): boolean {
  return route.startsWith(`${name}/`) || route.startsWith(`${name}.`);
}
