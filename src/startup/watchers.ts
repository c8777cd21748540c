import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { nowSeconds } from "../clock.js";
import type { Env } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { describeError } from "../errors.js";
import { Events } from "../events.js";
import type { Gateway } from "../gateway.js";
import type { DatabaseFile } from "../health/database-file.js";
import { Readiness } from "../health/readiness.js";
import { hideHome } from "../hide-home.js";
import { Hooks } from "../hooks/index.js";
import { type ListedHook, listHooks } from "../hooks/list.js";
import { loadHooks } from "../hooks/load.js";
import { type HookRecord, HookRecords } from "../hooks/records.js";
import type { HealthOptions } from "../http/health.js";
import type { Log } from "../log.js";
import { logEvents } from "../log-events.js";
import { Metrics } from "../metrics/index.js";
import type { Owners } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { tracesUrl } from "../tracing/endpoint.js";
import { version } from "../version.js";

/** Everything that watches events. */
export interface Watchers {
  events: Events;
  metrics: Metrics;
  hooks: Hooks;
  /** Each hook with the outcomes of its calls. */
  hookReport(): (ListedHook & HookRecord)[];
  close(): Promise<void>;
}

export interface WatcherOptions {
  log: Log;
  env: Env;
  bootId: string;
  /** If missing, no hooks are called. */
  hooks?: { dir: string; settings: Config["hooks"] };
}

export async function startWatchers(options: WatcherOptions): Promise<Watchers> {
  const { log, env } = options;
  const events = new Events((error, watcher) => log.error({ err: error, watcher }, "watcher failed"));
  logEvents(events, log);
  const metrics = new Metrics(events, { version: version(), node: process.version });
  const tracing = await traceTo(tracesUrl(env), events, options);
  const { hooks, hookReport } = newHooks(options, metrics);
  // The gateway doesn't wait for hooks to load.
  void hooks.start(events);
  const close = async () => {
    await Promise.all([tracing?.close(), hooks.close()]);
  };
  return { events, metrics, hooks, hookReport, close };
}

function newHooks(
  { log, hooks: from }: WatcherOptions,
  metrics: Metrics,
): Pick<Watchers, "hooks" | "hookReport"> {
  if (!from) return { hooks: new Hooks([]), hookReport: () => [] };
  const records = new HookRecords({
    outcome: (hook, outcome) => metrics.hookCalled(hook, outcome),
    failed: (hook, event, error) => log.error({ hook, event, err: error }, "hook failed"),
    gaveUp: (hook, reason) => log.error({ hook, reason }, "hook disabled until the next start"),
    printed: (hook, line) => log.info({ hook, line }, "hook output"),
  });
  const { hooks, modules, problems } = loadHooks(from.dir, from.settings, records);
  for (const { name, problem } of problems) log.warn({ hook: name, problem }, "hook not loaded");
  for (const { name, warning } of modules)
    if (warning) log.warn({ hook: name, problem: warning }, "hook has a warning");
  const listed = listHooks(from.dir, { modules, problems }, from.settings.webhooks);
  return {
    hooks: new Hooks(hooks),
    hookReport: () => listed.map((hook) => ({ ...hook, ...records.of(hook.name) })),
  };
}

/** OpenTelemetry costs memory, so it is loaded only if configured. */
async function traceTo(url: string | undefined, events: Events, { log, bootId }: WatcherOptions) {
  if (url === undefined) return undefined;
  const { startTracing } = await import("../tracing/index.js");
  return startTracing(events, {
    url,
    version: version(),
    bootId,
    onExport: (ok, reason) => {
      if (ok) log.info({}, "the collector accepts traces again");
      else log.warn({ reason }, "the collector doesn't accept traces");
    },
  });
}

export interface Watched {
  config: Config;
  gateway: Gateway;
  store: Store;
  stateDb: string;
  databaseFile: DatabaseFile;
  log: Log;
  /** The rows the gateway owns. */
  owners: Owners;
}

/** A key of `state_meta` for test writes. */
const WRITE_CHECK = "gw_write_check";

/** The gateway's readiness. It also checks periodically, so that changes are logged. */
export function readinessOf({
  config,
  gateway,
  store,
  stateDb,
  databaseFile,
  log,
  owners,
}: Watched): Readiness {
  const { max_wait, platforms } = config.health;
  const readiness = new Readiness({
    store: { backlog: () => store.backlog(owners), writerStats: () => store.maintenance.writerStats() },
    testWrite: () => store.setValue(WRITE_CHECK, String(nowSeconds())),
    isReplaced: () => databaseFile.isReplaced,
    gateway,
    settings: { maxWaitSeconds: max_wait, platforms },
    describe: (error) => hideHome(describeError(error).message, dirname(stateDb)),
    log,
  });
  databaseFile.onChange = () => void readiness.check();
  return readiness;
}

/** Health and metrics for the HTTP server. */
export function healthOf({ metrics }: Watchers, readiness: Readiness, watched: Watched): HealthOptions {
  const { gateway, store, stateDb, owners } = watched;
  metrics.readFrom({
    backlog: () => store.backlog(owners),
    writerStats: () => store.maintenance.writerStats(),
    fileBytes: () => Promise.all([stateDb, `${stateDb}-wal`].map(sizeOf)),
    turns: () => gateway.depth,
    openPenalties: () => gateway.openPenalties.map(({ platform }) => platform),
    platforms: () => gateway.health(),
    isReady: async () => (await readiness.problems()).length === 0,
  });
  return { problems: () => readiness.problems(), metrics };
}

async function sizeOf(path: string): Promise<{ file: string; bytes: number }> {
  // A missing file counts as empty.
  const stats = await stat(path).catch(() => undefined);
  return { file: basename(path), bytes: stats?.size ?? 0 };
}
