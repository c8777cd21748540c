/** Imports the enabled plugins and collects the platforms that they register. One plugin's fault doesn't stop the others. */
import { pathToFileURL } from "node:url";
import { checkPlatformName } from "../adapters/external.js";
import { definePlatform, type Platform, type PlatformInput } from "../adapters/platform.js";
import { HermesError } from "../errors.js";
import { type Candidate, type FindOptions, findPlugins, type Plugin } from "./find.js";
import { linkLibrary } from "./library-link.js";

export interface LoadedPlugins {
  /** All that were found, loaded or not. */
  plugins: Plugin[];
  platforms: Platform[];
}

/** What a plugin's `register` gets. */
export interface PluginContext {
  platform(definition: PlatformInput): void;
}

/** For importing a module, and for its `register`. */
const LOAD_MS = 10_000;

/** `all`: also lists plugins that aren't enabled. */
export async function loadPlugins(
  options: FindOptions,
  { all = false, loadMs = LOAD_MS }: { all?: boolean; loadMs?: number } = {},
): Promise<LoadedPlugins> {
  const { plugins, candidates } = findPlugins(options, all);
  const loaded: LoadedPlugins = { plugins, platforms: [] };
  if (candidates.length === 0) return loaded;
  linkLibrary(options.dir);
  for (const candidate of candidates) await loadOne(candidate, loaded, loadMs);
  return loaded;
}

async function loadOne({ plugin, main }: Candidate, loaded: LoadedPlugins, loadMs: number): Promise<void> {
  try {
    const platforms = await register(main, loaded.platforms, loadMs);
    loaded.platforms.push(...platforms);
    plugin.platforms = platforms.map(({ name }) => name);
  } catch (error) {
    const hint = error instanceof HermesError ? error.hint : undefined;
    plugin.state = "failed";
    plugin.reason = `${main}: ${messageOf(error)}`;
    plugin.fix = hint ?? "Fix or update the plugin, or remove it from plugins.enabled";
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.split("\n", 1)[0]! : String(error);
}

async function register(main: string, known: readonly Platform[], loadMs: number): Promise<Platform[]> {
  const module = (await within(loadMs, "its import", import(pathToFileURL(main).href))) as Module;
  const registerPlugin = module.register ?? module.default?.register;
  if (typeof registerPlugin !== "function") throw new Error("it exports no function register");
  const platforms: Platform[] = [];
  let isOpen = true;
  const context: PluginContext = Object.freeze({
    platform: (definition: PlatformInput) => {
      if (!isOpen) throw new Error("platform() can be called within register only");
      platforms.push(checkDefinition(definition, [...known, ...platforms]));
    },
  });
  try {
    await within(loadMs, "its register", Promise.resolve(registerPlugin(context)));
  } finally {
    isOpen = false;
  }
  return platforms;
}

interface Module {
  register?: (context: PluginContext) => unknown;
  default?: { register?: (context: PluginContext) => unknown };
}

/** Plugins are plain JavaScript, so the types prove nothing. */
function checkDefinition(definition: PlatformInput, known: readonly Platform[]): Platform {
  if (typeof definition !== "object" || definition === null) throw new Error("platform() needs a definition");
  const { name, settings, ids, env } = definition;
  checkPlatformName(name);
  if (known.some((platform) => platform.name === name))
    throw new HermesError("conflict", `another plugin has registered the platform ${name}`, {
      hint: "Disable one of the two plugins",
    });
  if (typeof definition.load !== "function") throw new Error(`the platform ${name} has no function load`);
  if (settings !== undefined && !isSettings(settings))
    throw new Error(`the settings of ${name} are neither a function nor a standard schema`);
  if (ids !== undefined && !(ids.chat instanceof RegExp))
    throw new Error(`ids.chat of ${name} is not a regular expression`);
  if (env !== undefined && !Object.values(env).every((key) => typeof key === "string"))
    throw new Error(`env of ${name} doesn't map variables to keys`);
  return definePlatform(definition);
}

function isSettings(settings: NonNullable<PlatformInput["settings"]>): boolean {
  if (typeof settings === "function") return true;
  return (
    typeof settings === "object" &&
    "~standard" in settings &&
    typeof settings["~standard"]?.validate === "function"
  );
}

async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
