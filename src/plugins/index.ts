/** The configuration with the plugins that it enables. */
import type { Platform } from "../adapters/platform.js";
import type { Fault } from "../config/faults.js";
import { type LoadedConfig, type LoadOptions, loadConfig, readPluginSettings } from "../config/load.js";
import { homePaths } from "../config/paths.js";
import type { FindOptions, Plugin } from "./find.js";
import { type LoadedPlugins, loadPlugins } from "./load.js";

export type { Plugin } from "./find.js";

export interface ConfigWithPlugins {
  loaded: LoadedConfig;
  plugins: Plugin[];
}

/** Throws a ConfigError, like `loadConfig`. Plugins that can't be loaded are reported, not thrown. */
export async function loadWithPlugins(
  options: Omit<LoadOptions, "external">,
  given: readonly Platform[] = [],
): Promise<ConfigWithPlugins> {
  const { plugins, platforms } = await pluginsOf(options);
  return { plugins, loaded: loadConfig({ ...options, external: [...platforms, ...given] }) };
}

export function pluginsOf(options: LoadOptions, all = false): Promise<LoadedPlugins> {
  return loadPlugins(findOptions(options), { all });
}

function findOptions(options: LoadOptions): FindOptions {
  const { settings, variable } = readPluginSettings(options);
  return { dir: homePaths(options.home).pluginsDir, settings, variable };
}

/** For `hermes config check`. */
export function pluginFaults(plugins: readonly Plugin[]): Fault[] {
  return plugins
    .filter(({ state }) => state === "failed")
    .map(({ name, reason, fix }) => ({
      where: `plugins/${name}`,
      path: "",
      message: [reason, fix].filter((part) => part !== undefined).join(". "),
    }));
}
