import { randomUUID } from "node:crypto";
import type { Hono } from "hono";
import { checkPlatformName } from "./adapters/external.js";
import type { Platform } from "./adapters/platform.js";
import type { AgentBackend, Auxiliary } from "./agents/backend.js";
import { nowSeconds } from "./clock.js";
import { type Env, ensureHome, homePaths, resolveHome } from "./config/paths.js";
import type { Config } from "./config/schema.js";
import { StatusFile } from "./health/status-file.js";
import { secureHome } from "./home-modes.js";
import { createLog, type Log } from "./log.js";
import { LogFile } from "./log-file.js";
import { loadWithPlugins, type Plugin } from "./plugins/index.js";
import type { Restart } from "./restart.js";
import type { SecretSet } from "./secrets/secret-set.js";
import { type ExternalPlatforms, externalPlatforms } from "./startup/adapters.js";
import { type OpenOptions, open, type RunningGateway } from "./startup/open.js";
import { homeSecrets, secretsOf } from "./startup/secrets.js";
import { Shutdown } from "./startup/shutdown.js";
import { startWatchers } from "./startup/watchers.js";
import type { Member } from "./store/membership.js";
import { membershipOf } from "./store/open.js";
import type { OnProgress } from "./store/store.js";
import type { ToolDefinition } from "./tools/tool.js";
import { startHousekeeping } from "./upkeep/housekeeping.js";
import { version } from "./version.js";

export type { PlatformsGiven } from "./startup/adapters.js";
export type { RunningGateway } from "./startup/open.js";

export interface StartOptions {
  env?: Env;
  /** Overrides by dotted path: `{"http.port": 0}`. */
  flags?: Record<string, unknown>;
  log?: Log;
  onProgress?: OnProgress;
  /** External platforms, for programs that embed the gateway: descriptions, or adapters. */
  platforms?: readonly Platform[] | ExternalPlatforms;
  /** Additional tools, for programs that embed the gateway. The rules under `tools` also apply to them. */
  tools?: readonly ToolDefinition[];
  /** The agent and its side model, instead of the configured ones. */
  agents?: { main: AgentBackend; auxiliary: Auxiliary };
  /** More routes on the HTTP port, behind its checks, for programs that embed the gateway. */
  routes?(app: Hono): void;
  /** How the dashboard restarts the process. Unset: it can't. */
  restart?: Restart;
  /** For the console platform. */
  stdin?: NodeJS.ReadableStream;
  stdout?: NodeJS.WritableStream;
}

/** Starts the gateway of a home. A lock ensures that only one runs. */
export async function startGateway(options: StartOptions = {}): Promise<RunningGateway> {
  const env = options.env ?? process.env;
  const home = resolveHome(env);
  ensureHome(home);
  const described = typeof options.platforms === "object" ? options.platforms : [];
  for (const { name } of described) checkPlatformName(name);
  const flags = options.flags ? { flags: options.flags } : {};
  const { loaded, plugins } = await loadWithPlugins({ home, env, ...flags }, described);
  const { config } = loaded;
  const logFile = new LogFile(homePaths(home).logsDir);
  const secrets = homeSecrets(home, config, env);
  const log = options.log ?? (await newLog(config, logFile, secrets));
  for (const plugin of plugins) logPlugin(plugin, log);
  const secured = secureHome(home);
  if (secured.length > 0)
    log.warn({ paths: secured }, "these were accessible to other users; access is now restricted");
  const bootId = randomUUID();
  const started_at = nowSeconds();
  const lock = await membershipOf(home).join({ pid: process.pid, started_at, boot_id: bootId, url: null });
  logFile.begin();
  try {
    const { afterCrash } = lock;
    const running = await openAll({
      ...options,
      env,
      home,
      config,
      loaded,
      log,
      bootId,
      afterCrash,
      secrets,
      ...(options.log ? {} : { logFile }),
    });
    try {
      return await withLock(running, lock, log, logFile);
    } catch (error) {
      await running.stop();
      throw error;
    }
  } catch (error) {
    logFile.close();
    await lock.leave();
    throw error;
  }
}

function newLog(config: Config, file: LogFile, known: SecretSet): Promise<Log> {
  const { level } = config.log;
  return createLog({ level, pretty: process.stderr.isTTY, file, secrets: secretsOf(config), known });
}

function logPlugin({ name, state, reason, fix, platforms }: Plugin, log: Log): void {
  const level = { loaded: "info", off: "info", skipped: "warn", failed: "error" } as const;
  const message = state === "loaded" ? "plugin loaded" : "plugin not loaded";
  log[level[state]]({ plugin: name, platforms, reason, fix }, message);
}

/** If the start fails, closes what was opened, which would keep the process alive. */
async function openAll(
  options: StartOptions & { env: Env } & Omit<OpenOptions, "watchers" | "external">,
): Promise<RunningGateway> {
  const { log, bootId, env, home, config } = options;
  const load = typeof options.platforms === "function" ? options.platforms : undefined;
  const external = await externalPlatforms(load, options);
  const hooks = { dir: homePaths(home).hooksDir, settings: config.hooks };
  const watchers = await startWatchers({ log, bootId, env, hooks });
  const shutdown = new Shutdown(log);
  shutdown.add("watchers", () => watchers.close());
  try {
    return await open({ ...options, watchers, external }, shutdown);
  } catch (error) {
    await shutdown.abandon();
    throw error;
  }
}

/** Writes the URL and the state of the platforms to the lock file, for other processes. */
async function withLock(
  running: RunningGateway,
  lock: Member,
  log: Log,
  logFile: LogFile,
): Promise<RunningGateway> {
  await lock.update({ url: running.url ?? null });
  const status = statusFile(running, lock, log);
  await status.start();
  const housekeeping = startHousekeeping(running.home, log);
  const { config, gateway, url } = running;
  const platforms = gateway.health().map(({ platform }) => platform);
  log.info({ version: version(), url, platforms, model: config.model.default }, "gateway started");
  return {
    ...running,
    stop: async () => {
      housekeeping.stop();
      await status.stop();
      await running.stop();
      log.info({}, "gateway stopped");
      logFile.close();
      await lock.leave();
    },
  };
}

function statusFile({ gateway, mcp }: RunningGateway, lock: Member, log: Log): StatusFile {
  return new StatusFile({
    read: () => ({
      platforms: gateway
        .health()
        .map(({ lastProofAt, isOff: _, ...health }) => ({ ...health, last_proof_at: lastProofAt })),
      mcp_servers: mcp.status(),
    }),
    write: (status) => lock.update(status),
    onError: (error) => log.warn({ err: error }, "could not write the platforms' state"),
  });
}
