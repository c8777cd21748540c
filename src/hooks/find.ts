import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { isNotRegular, readRegularSync } from "../regular-file.js";
import { EVENT_NAMES } from "./hook-events.js";

/** The hooks in a home, and why others are skipped. */
export interface FoundHooks {
  modules: HookModule[];
  problems: { name: string; problem: string }[];
}

export interface HookModule {
  name: string;
  description: string;
  events: string[];
  /** The module's path. */
  file: string;
  /** A warning; the hook still runs. */
  warning?: string;
}

const MODULES = ["handler.mjs", "handler.js"];
const manifest = z.object({
  name: z.string().min(1).optional(),
  description: z.string().default(""),
  events: z.array(z.string().min(1)).min(1, "lists no events"),
});

export function findHooks(dir: string): FoundHooks {
  const hooks: FoundHooks = { modules: [], problems: [] };
  for (const name of foldersIn(dir)) {
    const hook = readHook(join(dir, name), name);
    if (hook === undefined) continue;
    if ("problem" in hook) hooks.problems.push({ name, problem: hook.problem });
    else hooks.modules.push(hook);
  }
  return hooks;
}

function foldersIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const entries = readdirSync(dir, { withFileTypes: true });
  return entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
}

/** Undefined if the folder isn't a hook. */
function readHook(dir: string, folder: string): HookModule | { problem: string } | undefined {
  const text = readText(join(dir, "HOOK.yaml"));
  if (text === undefined) return undefined;
  const read = typeof text === "string" ? readManifest(text) : text;
  if ("problem" in read) return read;
  const file = MODULES.map((name) => join(dir, name)).find(isFile);
  if (!file) {
    const python = existsSync(join(dir, "handler.py")) ? "; handler.py is for Hermes Agent" : "";
    return { problem: `has no handler.mjs or handler.js${python}` };
  }
  const unknown = read.events.filter((event) => !isEvent(event));
  const warning = unknown.length > 0 ? { warning: `no such event: ${unknown.join(", ")}` } : {};
  return { name: read.name ?? folder, description: read.description, events: read.events, file, ...warning };
}

function readManifest(text: string): z.output<typeof manifest> | { problem: string } {
  try {
    const parsed = manifest.safeParse(parse(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return { problem: `HOOK.yaml: ${[...(issue?.path ?? []), issue?.message].join(" ")}` };
  } catch (error) {
    return { problem: `HOOK.yaml: ${(error as Error).message.split("\n", 1)[0]}` };
  }
}

export function isEvent(pattern: string): boolean {
  const [base, rest] = pattern.split(":");
  if (base === "command") return Boolean(rest);
  return EVENT_NAMES.some((name) => name === pattern || (rest === "*" && name.startsWith(`${base}:`)));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function readText(path: string): string | { problem: string } | undefined {
  try {
    return readRegularSync(path);
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code === "ENOENT" ||
      (error as NodeJS.ErrnoException).code === "ENOTDIR"
    )
      return undefined;
    if (isNotRegular(error)) return { problem: `HOOK.yaml: ${(error as Error).message}` };
    throw error;
  }
}
