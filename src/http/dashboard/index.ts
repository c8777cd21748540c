/** The dashboard's page and API, for the owner only. */
import { Hono, type MiddlewareHandler } from "hono";
import { noStore } from "../headers.js";
import { actionRoutes } from "./actions.js";
import { auditRoutes } from "./audit.js";
import { BackupJob, backupRoutes } from "./backups.js";
import { hookRoutes } from "./hooks.js";
import { Live } from "./live.js";
import { memoryRoutes } from "./memory.js";
import { Operations } from "./operations.js";
import { recordChanges } from "./operator.js";
import { type DashboardOptions, DEFAULT_BOUNDS } from "./options.js";
import { OverviewSource } from "./overview.js";
import { pageRoutes } from "./page.js";
import { peopleRoutes } from "./people.js";
import { PeopleSource } from "./people-source.js";
import { personDataRoutes } from "./person-data.js";
import { questionRoutes } from "./questions.js";
import { readRoutes } from "./reads.js";
import { scheduleRoutes } from "./schedules.js";
import { settingsRoutes } from "./settings.js";
import { toolRoutes } from "./tools.js";

export interface Dashboard {
  routes(app: Hono, ownerOnly: MiddlewareHandler): void;
  close(): Promise<void>;
}

export function createDashboard(options: DashboardOptions): Dashboard {
  const source = new OverviewSource(options);
  const live = new Live(source, options, { ...DEFAULT_BOUNDS, ...options.bounds });
  const backups = new BackupJob(options);
  const operations = new Operations(options);
  const people = new PeopleSource(options);
  const unwatch = options.watch((event) => people.onEvent(event));
  return {
    routes: (app, ownerOnly) => {
      const api = new Hono();
      api.use(ownerOnly, noStore, recordChanges(options));
      // The list of people shows pairing changes at once.
      api.use("/pairing/*", async (_, next) => {
        await next();
        people.invalidate();
      });
      api.get("/overview", async (c) => c.json(await source.read()));
      api.get("/live", (c) => live.serve(c));
      readRoutes(api, options);
      auditRoutes(api, options);
      actionRoutes(api, options);
      settingsRoutes(api, options);
      backupRoutes(api, options, backups);
      scheduleRoutes(api, options);
      hookRoutes(api, options);
      peopleRoutes(api, options, people);
      personDataRoutes(api, options, people);
      memoryRoutes(api, options, people);
      questionRoutes(api, options, people);
      toolRoutes(api, options, people);
      operations.routes(api);
      app.route("/api/dashboard", api);

      const pages = new Hono();
      pages.use(ownerOnly);
      pageRoutes(pages);
      app.route("/dashboard", pages);
    },
    close: async () => {
      unwatch();
      live.close();
      operations.close();
      source.close();
      await backups.close();
    },
  };
}
