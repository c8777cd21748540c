/** The operator's page and its endpoints. Everything here is the owner's alone. */
import { Hono, type MiddlewareHandler } from "hono";
import { actionRoutes } from "./actions.js";
import { Live } from "./live.js";
import { type DashboardOptions, DEFAULT_BOUNDS } from "./options.js";
import { OverviewSource } from "./overview.js";
import { pageRoutes } from "./page.js";
import { readRoutes } from "./reads.js";

export interface Dashboard {
  routes(app: Hono, ownerOnly: MiddlewareHandler): void;
  close(): Promise<void>;
}

export function createDashboard(options: DashboardOptions): Dashboard {
  const source = new OverviewSource(options);
  const live = new Live(source, options, { ...DEFAULT_BOUNDS, ...options.bounds });
  return {
    routes: (app, ownerOnly) => {
      const api = new Hono();
      api.use(ownerOnly, neverKept);
      api.get("/overview", async (c) => c.json(await source.read()));
      api.get("/live", (c) => live.serve(c));
      readRoutes(api, options);
      actionRoutes(api, options);
      app.route("/api/dashboard", api);

      const pages = new Hono();
      pages.use(ownerOnly);
      pageRoutes(pages);
      app.route("/dashboard", pages);
    },
    close: async () => {
      live.close();
      source.close();
    },
  };
}

/** Proxies and browsers must not cache private data. */
const neverKept: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
};
