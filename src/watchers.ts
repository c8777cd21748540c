import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Config } from "./config/schema.js";
import { Events } from "./events.js";
import { logEvents } from "./gateway/log-events.js";
import { Readiness } from "./gateway/readiness.js";
import type { Gateway } from "./gateway.js";
import type { HealthOptions } from "./http/health.js";
import type { Log } from "./log.js";
import { Metrics } from "./metrics/index.js";
import type { Store } from "./store/store.js";
import { version } from "./version.js";

/** Who watches what happens; a part of `main.ts`. */
export interface Watchers {
  events: Events;
  metrics: Metrics;
}

export function startWatchers({ log }: { log: Log }): Watchers {
  const events = new Events((error, watcher) => log.error({ err: error, watcher }, "a watcher failed"));
  logEvents(events, log);
  const metrics = new Metrics(events, { version: version(), node: process.version });
  return { events, metrics };
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
