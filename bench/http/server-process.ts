import type { Hono } from "hono";

/** `server-process <home>`: the built gateway with an additional route without storage. Prints its address. */
const compiled = new URL("../../dist/main.js", import.meta.url).href;
const { startGateway } = (await import(compiled)) as typeof import("../../src/main.js");

const [home] = process.argv.slice(2) as [string];
let answer: object = {};

const running = await startGateway({
  env: { HERMES_HOME: home, HERMES_LOG_LEVEL: "silent" },
  flags: { "http.port": 0 },
  routes: (app: Hono) => {
    /** Sets the response of the bare route to that of the real one. */
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
