/** The plugins of a home: what is there, and what may be loaded. Nothing is imported here. */
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { PluginSettings } from "../config/sections/plugins.js";
import { MANIFEST, type Manifest, readManifest, requiredVariables } from "./manifest.js";

/** Loaded: its platforms are known. Off: not enabled. Skipped: not for the gateway. Failed: something has to be fixed. */
export type PluginState = "loaded" | "off" | "skipped" | "failed";

export interface Plugin {
  name: string;
  folder: string;
  version: string;
  description: string;
  author: string;
  state: PluginState;
  /** Why it isn't loaded. */
  reason?: string;
  /** What to do about it. */
  fix?: string;
  /** Names of its platforms. */
  platforms: string[];
}

/** A plugin that may be imported. */
export interface Candidate {
  plugin: Plugin;
  main: string;
}

export interface Found {
  plugins: Plugin[];
  candidates: Candidate[];
}

export interface FindOptions {
  dir: string;
  settings: PluginSettings;
  /** The value of an environment variable, from `.env` too. */
  variable(name: string): string | undefined;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MODULE = /\.(?:mjs|cjs|js)$/;
const NO_PLUGINS = new Set(["node_modules"]);
const MAX_FILES = 20_000;

/** `all`: also those that aren't enabled. */
export function findPlugins(options: FindOptions, all: boolean): Found {
  const { dir, settings } = options;
  const there = all ? foldersIn(dir) : [];
  const names = [...new Set([...settings.enabled, ...there])];
  const found: Found = { plugins: [], candidates: [] };
  for (const name of names) {
    const looked = inspect(name, options);
    found.plugins.push("main" in looked ? looked.plugin : looked);
    if ("main" in looked) found.candidates.push(looked);
  }
  return found;
}

function foldersIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .filter((name) => !NO_PLUGINS.has(name))
    .sort();
}

/** A reason and what to do about it. */
class Problem extends Error {
  readonly fix: string;
  readonly state: PluginState;

  constructor(reason: string, fix: string, state: PluginState = "failed") {
    super(reason);
    this.fix = fix;
    this.state = state;
  }
}

function inspect(name: string, { dir, settings, variable }: FindOptions): Plugin | Candidate {
  const plugin: Plugin = {
    ...{ name, folder: path.join(dir, name), version: "", description: "", author: "" },
    state: "loaded",
    platforms: [],
  };
  try {
    requireName(name);
    const manifest = manifestOf(plugin.folder);
    Object.assign(plugin, pick(manifest));
    requireEnabled(name, settings);
    requireOurs(plugin.folder, manifest);
    if (manifest.name !== undefined && manifest.name !== name)
      throw new Problem(
        `${file(plugin, MANIFEST)} has the name "${manifest.name}"`,
        `Name its folder "${manifest.name}", or set name: ${name}`,
      );
    requireVariables(manifest, variable);
    const main = mainOf(plugin.folder, dir, manifest);
    requirePrivate(plugin.folder, dir);
    return { plugin, main };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...plugin, state: error.state, reason: error.message, fix: error.fix };
  }
}

const file = ({ folder }: Pick<Plugin, "folder">, name: string) => path.join(folder, name);

function pick({
  version,
  description,
  author,
}: Manifest): Pick<Manifest, "version" | "description" | "author"> {
  return { version, description, author };
}

function requireName(name: string): void {
  if (!NAME.test(name) || NO_PLUGINS.has(name))
    throw new Problem(`"${name}" is not the name of a plugin`, "Fix it in plugins.enabled of config.yaml");
}

function manifestOf(folder: string): Manifest {
  const name = path.join(folder, MANIFEST);
  try {
    return readManifest(name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR")
      throw new Problem(`${name}: ${message.split("\n", 1)[0]}`, `Fix ${name}`);
    if (existsSync(path.join(folder, "__init__.py"))) throw python(folder);
    throw new Problem(
      `${name} doesn't exist`,
      `Install the plugin in ${folder}, or remove it from plugins.enabled`,
    );
  }
}

function requireEnabled(name: string, { enabled, disabled }: PluginSettings): void {
  if (disabled.includes(name)) throw new Problem("it is disabled", "Remove it from plugins.disabled", "off");
  if (!enabled.includes(name)) throw new Problem("it isn't enabled", "Add it to plugins.enabled", "off");
}

function python(folder: string): Problem {
  return new Problem(
    `${path.join(folder, "__init__.py")} is Python: it is a plugin for Hermes Agent`,
    "Nothing to do: the gateway loads JavaScript plugins only",
    "skipped",
  );
}

function requireOurs(folder: string, { kind, main }: Manifest): void {
  const hasMain = existsSync(path.resolve(folder, main));
  if (!hasMain && existsSync(path.join(folder, "__init__.py"))) throw python(folder);
  if (kind !== "platform")
    throw new Problem(
      `its kind is "${kind}"`,
      "Nothing to do: the gateway loads plugins of the kind platform only",
      "skipped",
    );
}

function requireVariables(manifest: Manifest, variable: FindOptions["variable"]): void {
  const missing = requiredVariables(manifest).filter(({ name }) => !variable(name));
  if (missing.length === 0) return;
  const names = missing.map(({ name, description }) => (description ? `${name} (${description})` : name));
  const urls = missing.flatMap(({ url }) => (url ? [` ${url}`] : []));
  throw new Problem(`it needs ${names.join(", ")}`, `Set it in .env or in the environment.${urls.join("")}`);
}

/** The real path of its module, which has to be in its own folder. */
function mainOf(folder: string, dir: string, { main }: Manifest): string {
  const name = path.resolve(folder, main);
  if (path.isAbsolute(main) || !isWithin(folder, name))
    throw new Problem(
      `${name} is outside of ${folder}`,
      `Set main in ${path.join(folder, MANIFEST)} to a file in its folder`,
    );
  if (!MODULE.test(name))
    throw new Problem(`${name} is not a JavaScript module`, "Set main to an .mjs or .js file");
  const found = statSync(name, { throwIfNoEntry: false });
  if (!found?.isFile())
    throw new Problem(
      `${name} doesn't exist`,
      `Build or install the plugin, or fix main in ${path.join(folder, MANIFEST)}`,
    );
  const real = realpathSync(name);
  const own = path.join(realpathSync(dir), path.basename(folder));
  if (!isWithin(own, real))
    throw new Problem(`${name} is a link to ${real}, outside of ${folder}`, `Copy the plugin to ${folder}`);
  return real;
}

function isWithin(folder: string, name: string): boolean {
  const relative = path.relative(folder, name);
  return (
    relative !== "" &&
    relative !== ".." &&
    !relative.startsWith(`..${path.sep}`) &&
    !path.isAbsolute(relative)
  );
}

const WORLD_WRITABLE = 0o002;
const STICKY = 0o1000;

/** Anyone who can change its files can run code in the gateway. */
function requirePrivate(folder: string, dir: string): void {
  if (process.platform === "win32") return;
  for (const name of [dir, folder, ...filesIn(folder)]) {
    const { mode } = lstatSync(name);
    if (lstatSync(name).isSymbolicLink()) requireInside(folder, name);
    else if ((mode & WORLD_WRITABLE) !== 0 && (mode & STICKY) === 0)
      throw new Problem(`every user of this machine can change ${name}`, `chmod o-w ${name}`);
  }
}

function requireInside(folder: string, link: string): void {
  const real = realpathSync(link);
  if (!isWithin(realpathSync(folder), real))
    throw new Problem(`${link} is a link to ${real}, outside of ${folder}`, "Replace the link by a copy");
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }) as string[];
  if (names.length > MAX_FILES)
    throw new Problem(`${folder} has more than ${MAX_FILES} files`, "Bundle the plugin into fewer files");
  return names.map((name) => path.join(folder, name));
}
