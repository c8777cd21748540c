/** Descriptions and configuration → the adapters of all platforms that are switched on. */
import type { CoreConfig } from "../config/core.js";
import { describeError, HermesError } from "../errors.js";
import type { Adapter } from "./adapter.js";
import { type Bot, botsOf } from "./bots.js";
import { isBuiltIn } from "./chat-ids.js";
import { checkExternal } from "./external.js";
import type { Callback, HttpArea, LoadedPlatform, Platform, PlatformDeps } from "./platform.js";
import type { BotProbe } from "./probe.js";
import type { CommonSettings } from "./settings.js";
import { unusable } from "./unusable.js";

export interface Platforms {
  adapters: Adapter[];
  callbacks: Callback[];
}

export interface LoadedPlatforms extends Platforms {
  areas: HttpArea[];
  routes: NonNullable<LoadedPlatform["routes"]>[];
}

export type PlatformSections = Readonly<Record<string, CommonSettings | undefined>>;

export interface LoadDeps extends PlatformDeps {
  /** `platforms` of the configuration. */
  sections: PlatformSections;
  /** Adapters that an embedding program made itself. */
  given?: Partial<Platforms> | undefined;
}

export async function loadPlatforms(
  platforms: readonly Platform[],
  { sections, given = {}, ...deps }: LoadDeps,
): Promise<LoadedPlatforms> {
  checkExternal(given.adapters ?? []);
  const loading = platforms.flatMap((platform) =>
    botsToLoad(platform, sections, deps.config).map((bot) => loadBot(platform, bot, deps)),
  );
  const loaded = await Promise.all(loading);
  return {
    adapters: [...loaded.map(({ adapter }) => adapter), ...(given.adapters ?? [])],
    callbacks: [...loaded.flatMap(({ callbacks }) => callbacks ?? []), ...(given.callbacks ?? [])],
    areas: loaded.flatMap(({ areas }) => areas ?? []),
    routes: loaded.flatMap(({ routes }) => (routes ? [routes] : [])),
  };
}

function botsToLoad(platform: Platform, sections: PlatformSections, config: CoreConfig): Bot[] {
  const { name } = platform;
  if (!platform.load) return [];
  if (platform.isEnabled) return platform.isEnabled(config) ? [{ name } as Bot] : [];
  return botsOf(platform, sections[name]);
}

/** A bot that can't be made doesn't stop the others: its place is taken by one that reports the fault. */
async function loadBot(platform: Platform, bot: Bot, deps: PlatformDeps): Promise<LoadedPlatform> {
  try {
    return checkLoaded(platform, await platform.load!(bot, deps));
  } catch (error) {
    if (error instanceof HermesError) return { adapter: unusable(platform.name, bot.name, error) };
    if (isBuiltIn(platform.name)) throw error;
    const fault = new HermesError(
      "invalid",
      `${platform.label} can't be loaded: ${describeError(error).message}`,
      {
        hint: `It is a fault of the plugin: update it, or take it out of plugins.enabled`,
        cause: error,
      },
    );
    return { adapter: unusable(platform.name, bot.name, fault) };
  }
}

const METHODS = ["connect", "disconnect", "health", "render", "sendPart"] as const;

/** Plugins are plain JavaScript: what they return may be anything. */
function checkLoaded({ name }: Platform, loaded: LoadedPlatform): LoadedPlatform {
  const adapter = loaded?.adapter;
  const missing = METHODS.filter((method) => typeof adapter?.[method] !== "function");
  if (missing.length > 0) throw new Error(`its adapter has no ${missing.join(", ")}`);
  if (adapter.platform !== name)
    throw new Error(`its adapter's platform is "${adapter.platform}", not "${name}"`);
  return loaded;
}

/** How to ask each platform about its bots. */
export function botProbes(platforms: readonly Platform[], sections: PlatformSections): BotProbe[] {
  return platforms.flatMap((platform) => {
    if (!platform.probe) return [];
    return botsOf(platform, sections[platform.name]).map(
      (bot): BotProbe => ({
        platform: platform.name,
        name: bot.name,
        probe: (options) => platform.probe!(bot, options),
      }),
    );
  });
}
