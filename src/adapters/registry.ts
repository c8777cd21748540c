/** Descriptions and configuration → the adapters of all enabled platforms. */
import type { CoreConfig } from "../config/core.js";
import { describeError, HermesError } from "../errors.js";
import type { Adapter } from "./adapter.js";
import { type Bot, botsOf } from "./bots.js";
import { isBuiltIn } from "./chat-ids.js";
import { checkExternal } from "./external.js";
import type { Callback, HttpArea, LoadedPlatform, Platform, PlatformDeps, PlatformLog } from "./platform.js";
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

/** A bot that can't be created doesn't stop the others: a placeholder reports the error. */
async function loadBot(platform: Platform, bot: Bot, deps: PlatformDeps): Promise<LoadedPlatform> {
  const about: { platform: string; account?: string } = { platform: platform.name };
  const log: PlatformLog = (level, message, fields) => deps.log(level, message, { ...about, ...fields });
  try {
    const loaded = checkLoaded(platform, await platform.load!(bot, { ...deps, log }));
    about.account = loaded.adapter.account;
    return loaded;
  } catch (error) {
    if (error instanceof HermesError) return { adapter: unusable(platform.name, bot.name, error) };
    if (isBuiltIn(platform.name)) throw error;
    const fault = new HermesError(
      "invalid",
      `${platform.label} can't be loaded: ${describeError(error).message}`,
      {
        hint: `This is a bug in the plugin: update it, or remove it from plugins.enabled`,
        cause: error,
      },
    );
    return { adapter: unusable(platform.name, bot.name, fault) };
  }
}

const METHODS = ["connect", "disconnect", "health", "render", "sendPart"] as const;

/** Plugins are plain JavaScript and may return anything. */
function checkLoaded({ name }: Platform, loaded: LoadedPlatform): LoadedPlatform {
  const adapter = loaded?.adapter;
  const missing = METHODS.filter((method) => typeof adapter?.[method] !== "function");
  if (missing.length > 0) throw new Error(`its adapter has no ${missing.join(", ")}`);
  if (adapter.platform !== name)
    throw new Error(`its adapter's platform is "${adapter.platform}", not "${name}"`);
  return loaded;
}

/** The probes of each platform's bots. */
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
