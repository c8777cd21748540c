/** Flags > environment > `config.yaml` > defaults → one complete, frozen `Config`, or every fault at once. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../adapters/platform.js";
import { readRegularSync } from "../regular-file.js";
import { crossCheck, KNOWN_PLATFORMS } from "./checks.js";
import { coerce } from "./coerce.js";
import { parseEnvFile } from "./dotenv.js";
import { environmentSettings, type Setting, type Variable, vendorKey } from "./environment.js";
import { type Complaint, ConfigError, explainIssue, type Fault } from "./faults.js";
import { isForeignKey } from "./hermes-keys.js";
import { rememberExternal } from "./known-platforms.js";
import { completeSection, takeOwnKeys } from "./own-keys.js";
import { type Env, homePaths } from "./paths.js";
import { type Config, configSchema } from "./schema.js";
import { type PluginSettings, plugins } from "./sections/plugins.js";
import { deepFreeze, getIn, isTree, leaves, setIn, type Tree } from "./tree.js";
import { schemaAt } from "./walk.js";
import { readYaml } from "./yaml-file.js";

export interface LoadOptions {
  home: string;
  env: Env;
  /** Dotted path → value; text is read as in the file. `undefined` counts as not given. */
  flags?: Readonly<Record<string, unknown>>;
  /** Instead of the files' contents. */
  texts?: ConfigTexts | undefined;
  /** Platforms of plugins and embedding programs. Without them their own keys stay unchecked. */
  external?: readonly Platform[] | undefined;
}

export interface ConfigTexts {
  config: string;
  env: string;
}

export interface LoadedConfig {
  /** Complete and deeply frozen. */
  config: Config;
  /** Dotted path of every value → "flag", "env NAME", "config.yaml:12" or "default". */
  sources: Readonly<Record<string, string>>;
  /** Hermes Agent keys in the file that the gateway ignores. */
  ignored: readonly { where: string; path: string }[];
}

/** Throws one `ConfigError` with every fault of every layer. */
export function loadConfig({ home, env, flags = {}, texts, external = [] }: LoadOptions): LoadedConfig {
  const faults: Fault[] = [];
  const { configFile, envFile, pluginsDir } = homePaths(home);
  const variables = readVariables(texts?.env ?? readText(envFile, ".env", faults), env, faults);
  const before = faults.length;
  const text = texts?.config ?? readText(configFile, "config.yaml", faults);
  const file = readFileLayer(text, variables, faults, faults.length > before);
  // Without the file's values many other errors would be misleading.
  if (file.unreadable) throw new ConfigError(faults);

  const tree = file.tree;
  const sources = new Map<string, string>();
  const put = ({ path, value, source }: Setting) => {
    const coerced = coerce(schemaAt(configSchema, path), value);
    if (coerced === undefined) return;
    setIn(tree, path, coerced);
    sources.set(path.join("."), source);
  };
  const platforms = [
    ...KNOWN_PLATFORMS,
    ...namesIn(tree),
    ...pluginNames(tree),
    ...external.map(({ name }) => name),
  ];
  const fromEnvironment = environmentSettings(variables, platforms, external);
  const fromFlags = flagSettings(flags);
  for (const setting of [...fromEnvironment, ...fromFlags]) put(setting);
  for (const setting of vendorSettings(tree, sources, variables)) put(setting);

  const where = (path: readonly PropertyKey[]) => sourceOf(path, sources, file.lines);
  const complaints: Complaint[] = crossCheck(tree, external);
  const usesPlugins = pluginNames(tree).length > 0;
  const isPlugin = (name: string) => usesPlugins || existsSync(join(pluginsDir, name));
  const taken = takeOwnKeys(tree, external, isPlugin);
  const parsed = configSchema.safeParse(tree);
  if (!parsed.success) complaints.push(...parsed.error.issues.flatMap((issue) => explainIssue(issue, tree)));
  const sections: Record<string, unknown> = parsed.data?.platforms ?? {};
  for (const section of taken) {
    const completed = completeSection(section, sections[section.name] as object | undefined);
    if ("complaints" in completed) complaints.push(...completed.complaints);
    else sections[section.name] = completed.section;
  }
  for (const { path, message, at } of complaints) {
    faults.push({ where: where(path) ?? (at && where(at)) ?? "config", path: path.join("."), message });
  }
  if (!parsed.success || faults.length > 0) throw new ConfigError(inOrder(faults));

  const config = parsed.data;
  const layers = [...leaves(config)].map(([path]) => [path.join("."), where(path) ?? "default"]);
  deepFreeze(config);
  rememberExternal(config, external);
  return deepFreeze({ config, sources: Object.fromEntries(layers), ignored: file.ignored });
}

export interface PluginsRead {
  settings: PluginSettings;
  /** An environment variable, from `.env` too. */
  variable(name: string): string | undefined;
}

/** Only `plugins`, from the file: plugins are loaded before the rest is checked. Faults are left to `loadConfig`. */
export function readPluginSettings({ home, env, texts, flags = {} }: LoadOptions): PluginsRead {
  const { configFile, envFile } = homePaths(home);
  const variables = readVariables(texts?.env ?? readText(envFile, ".env", []), env, []);
  const text = texts?.config ?? readText(configFile, "config.yaml", []);
  const { tree } = readFileLayer(text, variables, [], false);
  for (const { path, value } of flagSettings(flags))
    if (path[0] === "plugins") setIn(tree, path, coerce(schemaAt(configSchema, path), value));
  const parsed = plugins.safeParse(tree.plugins ?? {});
  return {
    settings: parsed.data ?? plugins.parse({}),
    variable: (name) => variables.get(name)?.value,
  };
}

function namesIn(tree: Tree): string[] {
  const platforms = getIn(tree, ["platforms"]);
  return isTree(platforms) ? Object.keys(platforms) : [];
}

/** Plugins that the configuration names, enabled or not. */
function pluginNames(tree: Tree): string[] {
  const lists = ["enabled", "disabled"].map((key) => getIn(tree, ["plugins", key]));
  return lists.flat().filter((name) => typeof name === "string" && name !== "") as string[];
}

/** The process's own environment wins over `.env`: it was set for this run. */
function readVariables(text: string | undefined, env: Env, faults: Fault[]): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  const parsed = parseEnvFile(text ?? "");
  for (const { line, message } of parsed.faults) faults.push({ where: `.env:${line}`, path: "", message });
  for (const [name, { value, line }] of parsed.variables) {
    if (value !== "") variables.set(name, { value, source: `env ${name} (.env:${line})` });
  }
  // Containers unset a variable by making it empty, so an empty one neither sets a key nor hides `.env`.
  for (const [name, value] of Object.entries(env)) {
    if (value) variables.set(name, { value, source: `env ${name}` });
  }
  return variables;
}

interface FileLayer {
  tree: Tree;
  lines: ReadonlyMap<string, number>;
  ignored: { where: string; path: string }[];
  unreadable: boolean;
}

function readFileLayer(
  text: string | undefined,
  variables: ReadonlyMap<string, Variable>,
  faults: Fault[],
  unreadable: boolean,
): FileLayer {
  if (text === undefined) return { tree: {}, lines: new Map(), ignored: [], unreadable };
  const file = readYaml(text, (name) => variables.get(name)?.value);
  for (const { line, column, path, message } of file.faults) {
    const where = `config.yaml:${line}${column === undefined ? "" : `:${column}`}`;
    faults.push({ where, path: path.join("."), message });
  }
  const tree = coerce(configSchema, file.tree) as Tree;
  const ignored = dropForeignKeys(tree).map((path) => ({
    where: `config.yaml:${file.lines.get(path)}`,
    path,
  }));
  return { tree, lines: file.lines, ignored, unreadable: file.unreadable };
}

/** Removes Hermes Agent's own keys from the tree, and lists them. */
function dropForeignKeys(tree: Tree, above: readonly string[] = []): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = [...above, key];
    if (!isForeignKey(path, value))
      return isTree(value) && path.length < 4 ? dropForeignKeys(value, path) : [];
    delete tree[key];
    return [path.join(".")];
  });
}

/** Undefined if there is no such file; any other problem with it is a fault. */
function readText(path: string, name: string, faults: Fault[]): string | undefined {
  try {
    return readRegularSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      faults.push({ where: name, path: "", message: `can't be read: ${(error as Error).message}` });
    }
    return undefined;
  }
}

function flagSettings(flags: Readonly<Record<string, unknown>>): Setting[] {
  return Object.entries(flags)
    .filter(([, value]) => value !== undefined)
    .map(([path, value]) => ({ path: path.split("."), value, source: "flag" }));
}

/** OPENAI_API_KEY and the like: override the file for the main model, and fill in for side models of the same vendor. */
function vendorSettings(
  tree: Tree,
  sources: ReadonlyMap<string, string>,
  variables: ReadonlyMap<string, Variable>,
): Setting[] {
  const settings: Setting[] = [];
  const offer = (path: string[], provider: unknown) => {
    const variable = vendorKey(variables, provider);
    if (variable)
      settings.push({ path: [...path, "api_key"], value: variable.value, source: variable.source });
  };
  if (!sources.has("model.api_key")) offer(["model"], getIn(tree, ["model", "provider"]));
  const auxiliary = getIn(tree, ["auxiliary"]);
  for (const [task, value] of isTree(auxiliary) ? Object.entries(auxiliary) : []) {
    if (getIn(value, ["api_key"]) == null) offer(["auxiliary", task], getIn(value, ["provider"]));
  }
  const fallback = getIn(tree, ["model", "fallback"]);
  for (const [index, value] of Array.isArray(fallback) ? fallback.entries() : []) {
    if (isTree(value) && value.api_key == null) offer(["model", "fallback", String(index)], value.provider);
  }
  return settings;
}

/** The layer of a value: its own, or that of the nearest parent that was set as a whole. */
function sourceOf(
  path: readonly PropertyKey[],
  sources: ReadonlyMap<string, string>,
  lines: ReadonlyMap<string, number>,
): string | undefined {
  for (let length = path.length; length > 0; length--) {
    const source = sources.get(path.slice(0, length).join("."));
    if (source !== undefined) return source;
  }
  const line = lines.get(path.join("."));
  return line === undefined ? undefined : `config.yaml:${line}`;
}

/** The file's from top to bottom, then the environment's, then the flags'. */
function inOrder(faults: readonly Fault[]): Fault[] {
  const rank = ({ where }: Fault) => {
    const line = /^config\.yaml:(\d+)/.exec(where)?.[1];
    return line === undefined ? (where === "flag" ? 2e9 : 1e9) : Number(line);
  };
  return faults.toSorted((a, b) => rank(a) - rank(b));
}
