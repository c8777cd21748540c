import http from "node:http";
import { Hono } from "hono";
import { expect, it, onTestFinished } from "vitest";
import { Operations } from "../../src/http/dashboard/operations.js";
import type { DashboardOptions } from "../../src/http/dashboard/options.js";
import { startHttp } from "../support/http.js";
import { until } from "../support/until.js";

it("the gateway restarts although the page is gone before it has its answer", async () => {
  let asked = 0;
  let isNoting = false;
  let endNote = () => {};
  const saveRecord = () =>
    new Promise<boolean>((resolve) => {
      isNoting = true;
      endNote = () => resolve(true);
    });
  const operations = new Operations({
    log: { info() {}, warn() {} },
    store: { saveRecord, listRecords: async () => [] },
    operations: {
      ...{ adapters: [], mcp: {}, logFile: undefined },
      restart: { supervisor: "systemd", command: null, ask: () => void asked++ },
    },
  } as unknown as DashboardOptions);
  let isGone = false;
  const server = await startHttp({
    ...{ host: "127.0.0.1", port: 0, token: null, ownerToken: "t" },
    routes: (app) => {
      const api = new Hono<{ Bindings: { outgoing: http.ServerResponse } }>();
      api.use(async (c, next) => {
        c.env.outgoing.once("close", () => {
          isGone = true;
        });
        await next();
      });
      operations.routes(api as unknown as Hono);
      app.route("/api/dashboard", api);
    },
  });
  onTestFinished(() => server.close());
  const headers = { "content-type": "application/json" };
  const request = http.request(`${server.url}/api/dashboard/restart`, { method: "POST", headers });
  request.on("error", () => {});
  request.end("{}");
  await until("the restart is being recorded", () => isNoting);
  request.destroy();
  await until("the connection is closed", () => isGone);
  expect(asked).toBe(0);
  endNote();
  await until("the restart is asked for", () => asked === 1);
});
