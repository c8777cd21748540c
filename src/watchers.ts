import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { nowSeconds } from "./clock.js";
import type { Env } from "./config/paths.js";
import type { Config } from "./config/schema.js";
import { describeError } from "./errors.js";
import { Events } from "./events.js";
import type { DatabaseFile } from "./gateway/database-file.js";
import { logEvents } from "./gateway/log-events.js";
import { Readiness } from "./gateway/readiness.js";
import type { Gateway } from "./gateway.js";
import { hideHome } from "./hide-home.js";
import { Hooks } from "./hooks/index.js";
import { loadHooks } from "./hooks/load.js";
import type { HealthOptions } from "./http/health.js";
import type { Log } from "./log.js";
import { Metrics } from "./metrics/index.js";
import type { Share } from "./store/queues.js";
import type { Store } from "./store/store.js";
import { tracesUrl } from "./tracing/endpoint.js";
import { version } from "./version.js";

/** Who watches what happens; a part of `main.ts`. */
export interface Watchers {
  events: Events;
  metrics: Metrics;
  hooks: Hooks;
  close(): Promise<void>;
}

export interface WatcherOptions {
  log: Log;
  env: Env;
  bootId: string;
  /** Left out: none are told. */
  hooks?: { dir: string; settings: Config["hooks"] };
}

export async function startWatchers(options: WatcherOptions): Promise<Watchers> {
  const { log, env } = options;
  const events = new Events((error, watcher) => log.error({ err: error, watcher }, "a watcher failed"));
  logEvents(events, log);
  const metrics = new Metrics(events, { version: version(), node: process.version });
  const tracing = await traceTo(tracesUrl(env), events, options);
  const hooks = newHooks(options, metrics);
  // The gateway waits for none of them.
  void hooks.start(events);
  const close = async () => {
    await Promise.all([tracing?.close(), hooks.close()]);
  };
  return { events, metrics, hooks, close };
}

function newHooks({ log, hooks: from }: WatcherOptions, metrics: Metrics): Hooks {
  if (!from) return new Hooks([]);
  const { hooks, modules, problems } = loadHooks(from.dir, from.settings, {
    outcome: (hook, outcome) => metrics.hookCalled(hook, outcome),
    failed: (hook, event, error) => log.error({ hook, event, err: error }, "a hook failed"),
    gaveUp: (hook, reason) => log.error({ hook, reason }, "a hook is left out until the next start"),
    said: (hook, line) => log.info({ hook, line }, "a hook says"),
  });
  for (const { name, problem } of problems) log.warn({ hook: name, problem }, "a hook is not called");
  for (const { name, warning } of modules)
    if (warning) log.warn({ hook: name, problem: warning }, "a hook is odd");
  return new Hooks(hooks);
}

/** OpenTelemetry takes memory: it is loaded where somebody wants it. */
async function traceTo(url: string | undefined, events: Events, { log, bootId }: WatcherOptions) {
  if (url === undefined) return undefined;
  const { startTracing } = await import("./tracing/index.js");
  return startTracing(events, {
    url,
    version: version(),
    bootId,
    onExport: (ok, reason) => {
      if (ok) log.info({}, "the collector takes traces again");
      else log.warn({ reason }, "the collector takes no traces");
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
  /** Whose messages the gateway answers. */
  share: Share;
}

/** A key of `state_meta` that is there to be written. */
const WRITE_CHECK = "gw_write_check";

/** Is the gateway ready? It looks by itself too, so that the log tells when that changes. */
export function readinessOf({
  config,
  gateway,
  store,
  stateDb,
  databaseFile,
  log,
  share,
}: Watched): Readiness {
  const { max_wait, platforms } = config.health;
  const readiness = new Readiness({
    store: { backlog: () => store.backlog(share), writerStats: () => store.writerStats() },
    testWrite: () => store.setMeta(WRITE_CHECK, String(nowSeconds())),
    isReplaced: () => databaseFile.isReplaced,
    gateway,
    settings: { maxWaitSeconds: max_wait, platforms },
    describe: (error) => hideHome(describeError(error).message, dirname(stateDb)),
    log,
  });
  databaseFile.onChange = () => void readiness.look();
  return readiness;
}

/** How the gateway is doing, for whoever asks over HTTP. */
export function healthOf({ metrics }: Watchers, readiness: Readiness, watched: Watched): HealthOptions {
  const { gateway, store, stateDb, share } = watched;
  metrics.readFrom({
    backlog: () => store.backlog(share),
    writerStats: () => store.writerStats(),
    fileBytes: () => Promise.all([stateDb, `${stateDb}-wal`].map(sizeOf)),
    turns: () => gateway.depth,
    openPenalties: () => gateway.openPenalties.map(({ platform }) => platform),
    platforms: () => gateway.health(),
    isReady: async () => (await readiness.problems()).length === 0,
  });
  return { problems: () => readiness.problems(), metrics };
}

async function sizeOf(path: string): Promise<{ file: string; bytes: number }> {
  const found = await stat(path).catch(() => undefined);
  return { file: basename(path), bytes: found?.size ?? 0 };
}
