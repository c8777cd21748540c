/** The settings form: reads the files, previews changes and saves them. */
import { createHash } from "node:crypto";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { type Changed, changeSettings, type SettingChange } from "../../config/change-settings.js";
import { ConfigError } from "../../config/faults.js";
import type { Field } from "../../config/field.js";
import { readTexts, writeTexts } from "../../config/files.js";
import { formFields, sectionDescription } from "../../config/form.js";
import type { ConfigTexts, LoadedConfig } from "../../config/load.js";
import { maskSecrets } from "../../config/mask.js";
import { maskedDiff } from "../../config/masked-diff.js";
import { getIn, leaves } from "../../config/tree.js";
import { HermesError } from "../../errors.js";
import { SerialQueue } from "../../serial-queue.js";
import { bodyOf } from "../params.js";
import { operatorLog, skipRecord } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import type { SettingField, SettingsAnswer, SettingsPreview } from "./settings-types.js";

const MAX_CHANGES = 200;
const MAX_TEXT = 20_000;
const MAX_WAITING = 20;

const string = z.string().max(MAX_TEXT);
const list = z.array(string).max(2000);
const change = z.strictObject({
  path: z.string().min(1).max(300),
  value: z
    .union([z.boolean(), z.number(), string, list, z.record(string, z.union([string, list])), z.null()])
    .optional(),
});
/** The version of the files that the form was filled from. */
const body = { version: z.string().max(100), changes: z.array(change).min(1).max(MAX_CHANGES) };

export function settingsRoutes(api: Hono, options: DashboardOptions): void {
  const { home } = options;
  const note = operatorLog(options);
  const writes = new SerialQueue(MAX_WAITING);

  api.get("/settings", (c) => c.json(formOf(options, readTexts(home))));

  api.post("/settings/preview", async (c) => {
    const { before, after, faults } = await changed(c, options);
    const answer = { changes: maskedDiff(before, after), faults };
    skipRecord(c);
    return c.json(answer satisfies SettingsPreview);
  });

  api.post("/settings/save", (c) =>
    writes.add("settings", async () => {
      const { before, after, faults, paths } = await changed(c, options);
      const [fault] = faults;
      if (fault) throw new HermesError("invalid", `${fault.path}: ${fault.message}`);
      await writeTexts(home, before, after);
      await note(c, "settings", { keys: paths });
      return c.json(formOf(options, after));
    }),
  );
}

async function changed(c: Context, options: DashboardOptions) {
  const { version, changes } = await bodyOf(c, body);
  const before = readTexts(options.home);
  if (version !== versionOf(before))
    throw new HermesError("conflict", "config.yaml or .env has changed since this page read it.", {
      hint: "Reload the settings: what you typed stays, and is compared with the new files.",
    });
  const { texts: after, faults }: Changed = changeSettings(
    before,
    changes as SettingChange[],
    options.loadSettings,
  );
  return { before, after, faults, paths: changes.map(({ path }) => path) };
}

function versionOf({ config, env }: ConfigTexts): string {
  return createHash("sha256")
    .update(JSON.stringify([config, env]))
    .digest("hex")
    .slice(0, 32);
}

function formOf(options: DashboardOptions, texts: ConfigTexts): SettingsAnswer {
  const { loaded: running } = options;
  let next = running;
  let faults: SettingsAnswer["faults"] = [];
  try {
    next = options.loadSettings(texts);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults = error.faults.map(({ where, path, message }) => ({ where, path, message }));
  }
  const fields = [...formFields().map((field) => shown(field, next, running)), ...unknownKeys(next)];
  return {
    version: versionOf(texts),
    fields,
    sections: sectionsOf(fields),
    faults,
    ignored: [...next.ignored],
  };
}

function shown(field: Field, next: LoadedConfig, running: LoadedConfig): SettingField {
  const { path, kind, choices, ofLists, nullable, description } = field;
  const value = getIn(next.config, path) ?? null;
  const source = sourceOf(path.join("."), next);
  const masked = maskSecrets(value, path);
  // A value that is partly secret can't go to the browser and back.
  const hidden = kind !== "secret" && JSON.stringify(masked) !== JSON.stringify(value);
  return {
    ...{ path: path.join("."), kind: hidden ? "other" : kind, description, nullable, source },
    ...(choices ? { choices } : {}),
    ...(ofLists ? { ofLists } : {}),
    value: kind === "secret" ? value !== null && "****" : masked,
    default: kind === "secret" ? null : field.default,
    locked: isLocked(kind, source),
    waits: JSON.stringify(value) !== JSON.stringify(getIn(running.config, path) ?? null),
  };
}

/** Whether a flag or an environment variable overrides the files that the form can change. */
function isLocked(kind: Field["kind"], source: string): boolean {
  if (!/^(flag|env)/.test(source)) return false;
  return kind !== "secret" || !source.includes("(.env:");
}

/** For a map, the source of its first entry. */
function sourceOf(path: string, { sources }: LoadedConfig): string {
  const below = () => Object.keys(sources).find((key) => key.startsWith(`${path}.`));
  return sources[path] ?? sources[below() ?? ""] ?? "default";
}

/** Keys that aren't in the schema: those of plugins. */
function unknownKeys({ config, sources }: LoadedConfig): SettingField[] {
  const known = new Set(formFields().map(({ path }) => path.join(".")));
  const isKnown = (path: readonly string[]) =>
    path.some((_, index) => known.has(path.slice(0, index + 1).join(".")));
  return [...leaves(maskSecrets(config))]
    .filter(([path]) => !isKnown(path))
    .map(([names, value]) => {
      const path = names.join(".");
      const source = sources[path] ?? "default";
      return {
        ...{ path, kind: "other" as const, description: "", nullable: true, source, value: value ?? null },
        ...{ default: null, locked: false, waits: false },
      };
    });
}

function sectionsOf(fields: readonly SettingField[]): Record<string, string> {
  const names = new Set(fields.map(({ path }) => sectionOf(path)));
  names.delete("");
  return Object.fromEntries([...names].map((name) => [name, sectionDescription(name.split("."))]));
}

/** Every platform has its own section. Top-level keys have none. */
function sectionOf(path: string): string {
  const names = path.split(".");
  return names.slice(0, names[0] === "platforms" ? 2 : names.length > 1 ? 1 : 0).join(".");
}
