/** Routes for platforms, MCP servers, the log and a restart. */
import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import type { Adapter } from "../../adapters/adapter.js";
import { HermesError } from "../../errors.js";
import { type LogFile, lastLines } from "../../log-file.js";
import { OTHER_AREAS } from "../../log-lines.js";
import type { McpServers } from "../../mcp/manager.js";
import type { Restart } from "../../restart.js";
import { bodyOf } from "../params.js";
import { LogStream } from "./log-stream.js";
import { mcpServerRoutes } from "./mcp-servers.js";
import type { LogAnswer, RestartAnswer } from "./operations-types.js";
import { operatorLog } from "./operator.js";
import { type DashboardOptions, DEFAULT_BOUNDS } from "./options.js";
import { platformRoutes } from "./platforms.js";
import { RecentErrors } from "./recent-errors.js";

export interface OperationsOptions {
  adapters: readonly Adapter[];
  mcp: Pick<McpServers, "details" | "reload" | "reconnect">;
  /** Undefined: a program embeds the gateway, and has its own log. */
  logFile: LogFile | undefined;
  restart: Restart;
}

/** How much of the log to read for errors from before the start. */
const MAX_READ_BYTES = 1024 * 1024;

export class Operations {
  readonly #options: DashboardOptions;
  readonly #errors = new RecentErrors();
  readonly #log: LogStream | undefined;
  readonly #unwatch: (() => void) | undefined;

  constructor(options: DashboardOptions) {
    this.#options = options;
    const { log, bounds } = options;
    const { logFile } = options.operations;
    if (!logFile) return;
    for (const line of lastLines(logFile.folder, MAX_READ_BYTES)) this.#errors.take(line);
    this.#unwatch = logFile.watch((line) => this.#errors.take(line));
    this.#log = new LogStream(logFile, { max: bounds?.clients ?? DEFAULT_BOUNDS.clients, log });
  }

  routes(api: Hono): void {
    platformRoutes(api, this.#options, this.#errors);
    mcpServerRoutes(api, this.#options);
    restartRoutes(api, this.#options);
    const { gateway, loaded } = this.#options;
    api.get("/log", (c) => {
      const platforms = new Set(gateway.health().map(({ platform }) => platform));
      const areas = [...platforms, ...OTHER_AREAS];
      return c.json({ areas, level: loaded.config.log.level } satisfies LogAnswer);
    });
    api.get("/log/live", (c) => {
      if (this.#log) return this.#log.serve(c);
      throw new HermesError("not_found", "The program that runs this gateway keeps its own log.");
    });
  }

  close(): void {
    this.#unwatch?.();
    this.#log?.close();
  }
}

function restartRoutes(api: Hono, options: DashboardOptions): void {
  const { restart } = options.operations;
  const note = operatorLog(options);

  api.get("/restart", (c) => {
    const { supervisor, command } = restart;
    return c.json({ supervisor, command } satisfies RestartAnswer);
  });

  api.post("/restart", async (c) => {
    await bodyOf(c, {});
    if (restart.supervisor === null)
      throw new HermesError("refused", "Nothing would start the gateway again.", {
        hint:
          restart.command === null
            ? "Restart the program that runs it."
            : `Run \`${restart.command}\` where it was started.`,
      });
    await note(c, "restart", { supervisor: restart.supervisor });
    const { outgoing } = c.env as HttpBindings;
    // After the page has received the response. A page that is gone already gets none.
    if (outgoing.closed) restart.ask();
    else outgoing.once("close", () => restart.ask());
    return c.json({ restarting: true }, 202);
  });
}
