/** Changes of a form → the two files as they would be. Touches no file. */
import { HermesError } from "../errors.js";
import { setVariable } from "./edit-env.js";
import { editYaml } from "./edit-yaml.js";
import { variableNames } from "./environment.js";
import { ConfigError, type Fault } from "./faults.js";
import type { Field } from "./field.js";
import { formFields } from "./form.js";
import { platformsOf } from "./known-platforms.js";
import type { ConfigTexts, LoadedConfig } from "./load.js";
import { movedKey } from "./moved-key.js";
import { placeSecrets, referenceAt } from "./place-secret.js";
import { getIn } from "./tree.js";

export interface SettingChange {
  /** Dotted. */
  path: string;
  /** Undefined removes the key, so that its default applies. */
  value?: unknown;
}

export interface Changed {
  texts: ConfigTexts;
  /** Why the result can't be used, by key. Empty: it can. */
  faults: Pick<Fault, "path" | "message">[];
}

export function changeSettings(
  texts: ConfigTexts,
  changes: readonly SettingChange[],
  load: (texts: ConfigTexts) => LoadedConfig,
): Changed {
  const before = loadedOr(texts, load);
  const fields = new Map(formFields().map((field) => [field.path.join("."), field]));
  let after = texts;
  for (const change of changes) {
    const field = fields.get(change.path);
    if (!field || field.kind === "other")
      throw new HermesError("invalid", `A form can't change ${change.path}.`, {
        hint: "`hermes config edit` can.",
      });
    after =
      field.kind === "secret" ? changeSecret(after, field, change, before) : edited(after, field, change);
  }
  return { texts: after, faults: faultsOf(after, changes, load, before) };
}

function edited({ config, env }: ConfigTexts, { path }: Field, { value }: SettingChange): ConfigTexts {
  return { config: editYaml(config, [{ path, value }]), env };
}

function changeSecret(
  texts: ConfigTexts,
  { path }: Field,
  { value }: SettingChange,
  before: LoadedConfig | undefined,
): ConfigTexts {
  const known = variableFor(path, before);
  if (value === undefined || value === null || value === "") {
    const config = editYaml(texts.config, [{ path, value: undefined }]);
    const inEnv = dotEnvVariable(path, before);
    return { config, env: inEnv === undefined ? texts.env : setVariable(texts.env, inEnv, "") };
  }
  const variable = known ?? ownVariable(path);
  const { texts: placed } = placeSecrets(texts, [{ path: [...path], variable, value: String(value) }]);
  // A variable of our own is only read where the file refers to it.
  if (known !== undefined || referenceAt(placed.config, path) !== undefined) return placed;
  return { ...placed, config: editYaml(placed.config, [{ path, value: `\${${variable}}` }]) };
}

/** The variable in `.env` that sets it now, else the one that is made for it. */
function variableFor(path: readonly string[], before: LoadedConfig | undefined): string | undefined {
  const now = dotEnvVariable(path, before);
  if (now !== undefined) return now;
  const platforms = platformsOf(before?.config ?? {});
  const names = platforms.map(({ name }) => name);
  for (const [variable, to] of variableNames(names, platforms))
    if (to.join(".") === path.join(".")) return variable;
  return undefined;
}

function dotEnvVariable(path: readonly string[], before: LoadedConfig | undefined): string | undefined {
  return /^env (\w+) \(\.env:\d+\)$/.exec(before?.sources[path.join(".")] ?? "")?.[1];
}

const ownVariable = (path: readonly string[]) => `HERMES_${path.join("_").toUpperCase().replace(/\W/g, "_")}`;

function loadedOr(texts: ConfigTexts, load: (texts: ConfigTexts) => LoadedConfig): LoadedConfig | undefined {
  try {
    return load(texts);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function faultsOf(
  texts: ConfigTexts,
  changes: readonly SettingChange[],
  load: (texts: ConfigTexts) => LoadedConfig,
  before: LoadedConfig | undefined,
): Changed["faults"] {
  try {
    const { config, sources } = load(texts);
    const overridden = changes.flatMap(({ path, value }) => {
      const source = sources[path] ?? "";
      const isOverridden = /^(flag|env)/.test(source) && !isInForce(config, path, value);
      return isOverridden ? [{ path, message: `${source} wins over the files: change it there` }] : [];
    });
    return [...overridden, ...keyFaults(before, config, changes)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ where, path, message }) => ({
      path,
      message: path === "" ? `${where}: ${message}` : message,
    }));
  }
}

/** A key that was typed again is meant for the new service. */
function keyFaults(
  before: LoadedConfig | undefined,
  after: LoadedConfig["config"],
  changes: readonly SettingChange[],
): Changed["faults"] {
  const path = "model.api_key";
  const moved = before && movedKey(before.config.model, after.model);
  if (!moved || changes.some((change) => change.path === path)) return [];
  const message = `was given for ${moved.from}, and would be sent to ${moved.to}: enter the key for that service, or remove it`;
  return [{ path, message }];
}

function isInForce(config: object, path: string, value: unknown): boolean {
  return value !== undefined && JSON.stringify(getIn(config, path.split("."))) === JSON.stringify(value);
}
