import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Env } from "./config/paths.js";
import type { Config } from "./config/schema.js";
import { Events } from "./events.js";
import { logEvents } from "./gateway/log-events.js";
import { Readiness } from "./gateway/readiness.js";
import type { Gateway } from "./gateway.js";
import type { HealthOptions } from "./http/health.js";
import type { Log } from "./log.js";
import { Metrics } from "./metrics/index.js";
import type { Store } from "./store/store.js";
import { tracesUrl } from "./tracing/endpoint.js";
import { version } from "./version.js";

/** Who watches what happens; a part of `main.ts`. */
export interface Watchers {
  events: Events;
  metrics: Metrics;
  close(): Promise<void>;
}

export interface WatcherOptions {
  log: Log;
  env: Env;
  bootId: string;
}

export async function startWatchers({ log, env, bootId }: WatcherOptions): Promise<Watchers> {
  const events = new Events((error, watcher) => log.error({ err: error, watcher }, "a watcher failed"));
  logEvents(events, log);
  const metrics = new Metrics(events, { version: version(), node: process.version });
  const tracing = await traceTo(tracesUrl(env), events, { log, bootId });
  return { events, metrics, close: async () => tracing?.close() };
}

/** OpenTelemetry takes memory: it is loaded where somebody wants it. */
async function traceTo(
  url: string | undefined,
  events: Events,
  { log, bootId }: Omit<WatcherOptions, "env">,
) {
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
}

/** How the gateway is doing, for whoever asks over HTTP. */
export function healthOf({ metrics }: Watchers, watched: Watched): HealthOptions {
  const { config, gateway, store, stateDb } = watched;
  const { max_wait, platforms } = config.health;
  const readiness = new Readiness({
    store,
    gateway,
    settings: { maxWaitSeconds: max_wait, platforms },
  });
  metrics.readFrom({
    backlog: () => store.backlog(),
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
