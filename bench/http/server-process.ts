import type { Hono } from "hono";

/** `server-process <home>`: the gateway as it is shipped, with one route more that keeps nothing; says its address. */
const compiled = new URL("../../dist/main.js", import.meta.url).href;
const { startGateway } = (await import(compiled)) as typeof import("../../src/main.js");

const [home] = process.argv.slice(2) as [string];
let answer: object = {};

const running = await startGateway({
  env: { HERMES_HOME: home, HERMES_LOG_LEVEL: "silent" },
  flags: { "http.port": 0 },
  routes: (app: Hono) => {
    /** What the other route has answered is what this one answers. */
    app.put("/bare", async (c) => {
      answer = await c.req.json();
      return c.body(null, 204);
    });
    app.post("/bare", async (c) => {
      await c.req.json();
      return c.json(answer);
    });
  },
});

process.once("disconnect", () => process.exit());
process.once("message", () => void running.stop().then(() => process.exit()));
process.send!(running.url);
