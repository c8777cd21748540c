import { Hono } from "hono";
import { expect, it, onTestFinished } from "vitest";
import { HermesError } from "../../src/errors.js";
import { operatorLog, recordChanges } from "../../src/http/dashboard/operator.js";
import { operatorActions } from "../../src/store/operator-actions.js";
import { startHttp } from "../support/http.js";
import { tempStore } from "../support/temp.js";
import { ask } from "./support/request.js";

const log = { info() {}, warn() {} };

it("a change is recorded once, whether its handler notes it, forgets to or fails", async () => {
  const { store } = await tempStore();
  const note = operatorLog({ store, log });
  const server = await startHttp({
    ...{ host: "127.0.0.1", port: 0, token: null, ownerToken: "t" },
    routes: (app) => {
      const api = new Hono();
      api.use(recordChanges({ store, log }));
      api.get("/look", (c) => c.json({}));
      api.post("/noted", async (c) => {
        await note(c, "noted", { id: 1 });
        return c.json({});
      });
      api.post("/forgotten/:id", (c) => c.json({}));
      api.post("/refused", () => {
        throw new HermesError("conflict", "no");
      });
      api.post("/broken", () => {
        throw new Error("a defect");
      });
      app.route("/api/dashboard", api);
    },
  });
  onTestFinished(() => server.close());
  const { url } = server;
  await ask(`${url}/api/dashboard/look`);
  for (const at of ["noted", "forgotten/7", "refused", "broken"])
    await ask(`${url}/api/dashboard/${at}`, { method: "POST" });
  const { actions } = await operatorActions(store);
  expect(actions.map(({ action, outcome, fields }) => [action, outcome, fields])).toEqual([
    ["broken", "failed (500)", "{}"],
    ["refused", "conflict", "{}"],
    ["forgotten/7", "done", "{}"],
    ["noted", "done", '{"id":1}'],
  ]);
});
