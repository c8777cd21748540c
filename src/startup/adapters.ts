import type { Adapter } from "../adapters/adapter.js";
import type { PlatformLog } from "../adapters/platform.js";
import { type LoadedPlatforms, loadPlatforms, type Platforms } from "../adapters/registry.js";
import { nowSeconds } from "../clock.js";
import { platformsOf } from "../config/known-platforms.js";
import type { Config } from "../config/schema.js";
import type { Log } from "../log.js";
import { realign } from "../schedules/due-runs.js";
import type { Store } from "../store/store.js";
import { platformServices } from "./platform-services.js";

/** The gateway's services for external platforms. */
export interface PlatformsGiven {
  config: Config;
  home: string;
  log: PlatformLog;
}

export interface AdapterOptions {
  store: Store;
  config: Config;
  home: string;
  log: Log;
  /** Adapters of an embedding program. */
  external: Partial<Platforms>;
  stdin?: NodeJS.ReadableStream | undefined;
  stdout?: NodeJS.WritableStream | undefined;
}

export type ExternalPlatforms = (given: PlatformsGiven) => Partial<Platforms> | Promise<Partial<Platforms>>;

export async function externalPlatforms(
  load: ExternalPlatforms | undefined,
  { config, home, log }: { config: Config; home: string; log: Log },
): Promise<Partial<Platforms>> {
  return (await load?.({ config, home, log: platformLog(log) })) ?? {};
}

/** Loads every enabled platform with its HTTP routes. */
export async function openAdapters(options: AdapterOptions): Promise<LoadedPlatforms> {
  const { store, config, log, external } = options;
  const services = platformServices({ ...options, log: platformLog(log) });
  const loaded = await loadPlatforms(platformsOf(config), { ...services, given: external });
  for (const name of withoutAdapter(config, loaded.adapters))
    log.warn({ platform: name }, "the platform is enabled, but has no adapter");
  if (config.cron.enabled) await realign({ store, config }, nowSeconds());
  return loaded;
}

function platformLog(log: Log): PlatformLog {
  return (level, message, fields = {}) => log[level](fields, message);
}

function withoutAdapter(config: Config, adapters: readonly Adapter[]): string[] {
  const present = new Set(adapters.map(({ platform }) => platform));
  return Object.entries(config.platforms)
    .filter(([name, { enabled }]) => enabled && !present.has(name))
    .map(([name]) => name);
}
