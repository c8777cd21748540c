/** Answers → the two files as they would be, and the resulting configuration. Touches no file. */
import type { Platform } from "../../adapters/platform.js";
import { parseEnvFile } from "../../config/dotenv.js";
import { setVariable } from "../../config/edit-env.js";
import { editYaml, type YamlEdit } from "../../config/edit-yaml.js";
import { readTexts } from "../../config/files.js";
import { type ConfigTexts, type LoadedConfig, loadConfig } from "../../config/load.js";
import { movedKey } from "../../config/moved-key.js";
import type { Env } from "../../config/paths.js";
import { placeSecrets, type Secret } from "../../config/place-secret.js";
import type { Config } from "../../config/schema.js";
import { getIn } from "../../config/tree.js";
import { HermesError } from "../../errors.js";
import { platformConfig } from "../../rules.js";
import { type Access, type Answers, guidedIn, type ModelAnswer, type ResetAnswer } from "./answers.js";

const HEADER = "# Written by `hermes setup`. All keys: config.example.yaml\n";

export interface Draft {
  texts: ConfigTexts;
  /** As a gateway that is started in this environment would load it. */
  loaded: LoadedConfig;
  /** The same, but the new secrets win over the environment: for trying them. */
  tried: Config;
  /** Variables of this environment that override new secrets. */
  shadowed: string[];
}

export interface Current {
  home: string;
  env: Env;
  texts: ConfigTexts;
  loaded: LoadedConfig;
  /** Platforms of plugins. */
  external?: readonly Platform[] | undefined;
}

export function readCurrent(home: string, env: Env, external?: readonly Platform[]): Current {
  const texts = readTexts(home);
  return { home, env, texts, external, loaded: loadConfig({ home, env, texts, external }) };
}

export function draft(current: Current, answers: Answers): Draft {
  const { home, env, loaded, external } = current;
  const { config } = loaded;
  const edits = [
    ...modelEdits(config, answers.model),
    ...Object.entries(answers.platforms).flatMap(([name, answer]) => [
      ...enabledEdits(config, name, answer.enabled),
      ...(answer.access ? accessEdits(config, name, answer.access) : []),
    ]),
    ...timezoneEdits(loaded, answers.timezone),
    ...resetEdits(config, answers.reset),
  ];
  const secrets = secretsOf(answers, hasOwnModelKey(current), config);
  const edited = { ...current.texts, config: editYaml(current.texts.config, edits) };
  const placed = placeSecrets(
    answers.model?.key === null ? withoutKey(edited, answers.model.provider) : edited,
    secrets,
  );
  const { config: text } = placed.texts;
  const isNew = current.texts.config.trim() === "" && text !== current.texts.config;
  const texts = { ...placed.texts, config: isNew ? HEADER + text : text };
  const tried = loadConfig({ home, env: { ...env, ...placed.variables }, texts, external });
  for (const secret of secrets) requireInForce(secret, tried);
  if (answers.model && !answers.model.key) requireOwnKey(loaded, tried);
  return {
    texts,
    loaded: loadConfig({ home, env, texts, external }),
    tried: tried.config,
    shadowed: Object.entries(placed.variables)
      .filter(([name, value]) => env[name] && env[name] !== value)
      .map(([name]) => name),
  };
}

// --- keys ---------------------------------------------------------------------------------------------------------

const edit = (path: string, value: unknown): YamlEdit => ({ path: path.split("."), value });

function modelEdits({ model }: Config, answer: ModelAnswer | undefined): YamlEdit[] {
  if (!answer) return [];
  return [
    ...(answer.provider === model.provider ? [] : [edit("model.provider", answer.provider)]),
    ...(answer.name === model.default ? [] : [edit("model.default", answer.name ?? undefined)]),
    ...(answer.baseUrl === model.base_url ? [] : [edit("model.base_url", answer.baseUrl ?? undefined)]),
  ];
}

/** A token switches its platform on: only an explicit `enabled: false` has to be removed. */
function enabledEdits(config: Config, name: string, enabled: boolean): YamlEdit[] {
  if (platformConfig(config, name)?.enabled === enabled) return [];
  return [edit(`platforms.${name}.enabled`, enabled ? undefined : false)];
}

function accessEdits(config: Config, name: string, access: Access): YamlEdit[] {
  const { allow_all, allow_from, unauthorized_dm_behavior } = platformConfig(config, name)!;
  const key = (last: string) => `platforms.${name}.${last}`;
  if (access.who === "everyone") return allow_all || config.allow_all ? [] : [edit(key("allow_all"), true)];
  const behaviour = access.who === "list" ? "ignore" : "pair";
  const edits = [
    ...(allow_all ? [edit(key("allow_all"), undefined)] : []),
    ...(config.allow_all ? [edit("allow_all", undefined)] : []),
  ];
  if ((unauthorized_dm_behavior ?? config.unauthorized_dm_behavior) !== behaviour)
    edits.push(edit(key("unauthorized_dm_behavior"), behaviour));
  if (access.who === "list" && access.ids.join() !== allow_from.join())
    edits.push(edit(key("allow_from"), [...access.ids]));
  return edits;
}

/** Written even where it equals the system's, which may change. */
function timezoneEdits({ config, sources }: LoadedConfig, timezone: string | undefined): YamlEdit[] {
  const isSaid = sources.timezone !== "default";
  return timezone === undefined || (isSaid && timezone === config.timezone)
    ? []
    : [edit("timezone", timezone)];
}

function resetEdits({ session_reset: now }: Config, answer: ResetAnswer | undefined): YamlEdit[] {
  if (!answer) return [];
  const { mode, atHour, idleMinutes } = answer;
  return [
    ...(mode === now.mode ? [] : [edit("session_reset.mode", mode)]),
    ...(atHour === now.at_hour ? [] : [edit("session_reset.at_hour", atHour)]),
    ...(idleMinutes === now.idle_minutes ? [] : [edit("session_reset.idle_minutes", idleMinutes)]),
  ];
}

// --- secrets ------------------------------------------------------------------------------------------------------

const OWN_KEY = "HERMES_MODEL_API_KEY";
const VENDOR_KEYS: Partial<Record<ModelAnswer["provider"], string>> = {
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
};

/** The variables that may hold a key for this provider, the strongest first. */
export function modelKeyNames(provider: ModelAnswer["provider"]): string[] {
  return [OWN_KEY, ...(VENDOR_KEYS[provider] ? [VENDOR_KEYS[provider]] : [])];
}

/** If so, it wins over a vendor's variable. */
function hasOwnModelKey({ env, texts }: Current): boolean {
  return Boolean(env[OWN_KEY] || parseEnvFile(texts.env).variables.get(OWN_KEY)?.value);
}

function secretsOf({ model, platforms }: Answers, ownModelKey: boolean, config: Config): Secret[] {
  const secrets: Secret[] = [];
  if (model?.key) {
    const variable = (!ownModelKey && VENDOR_KEYS[model.provider]) || OWN_KEY;
    secrets.push({ path: ["model", "api_key"], variable, value: model.key });
  }
  for (const { name, setup } of guidedIn(config)) {
    const given = platforms[name]?.secrets ?? {};
    for (const { key, variable } of setup.secrets) {
      const value = given[key];
      if (value !== undefined) secrets.push({ path: ["platforms", name, key], variable, value });
    }
  }
  return secrets;
}

function withoutKey({ config, env }: ConfigTexts, provider: ModelAnswer["provider"]): ConfigTexts {
  const { variables } = parseEnvFile(env);
  const set = modelKeyNames(provider).filter((name) => variables.get(name)?.value);
  return {
    config: editYaml(config, [edit("model.api_key", undefined)]),
    env: set.reduce((text, name) => setVariable(text, name, ""), env),
  };
}

/** The same key may be set elsewhere, with higher priority. */
function requireInForce({ path, variable, value }: Secret, { config, sources }: LoadedConfig): void {
  if (getIn(config, path) === value) return;
  const key = path.join(".");
  throw new HermesError("conflict", `${key} has another value already (${sources[key]}).`, {
    hint: `Remove it there: ${variable} in .env would have no effect.`,
  });
}

/** Where no key was given for another service, it must not get the current one's. */
function requireOwnKey(now: LoadedConfig, { config, sources }: LoadedConfig): void {
  const moved = movedKey(now.config.model, config.model);
  if (!moved) return;
  const source = sources["model.api_key"] ?? "";
  // OPENAI_API_KEY is OpenAI's, wherever it was sent before.
  const { provider, base_url: address } = config.model;
  const vendors = VENDOR_KEYS[provider];
  if (address === null && vendors !== undefined && source.startsWith(`env ${vendors}`)) return;
  const isOfShell = source.startsWith("env ") && !source.includes("(.env:");
  throw new HermesError(
    "refused",
    `The model's key, ${source}, was given for ${moved.from}, and would be sent to ${moved.to}. Nothing was written.`,
    {
      hint: isOfShell
        ? `Unset ${source.slice("env ".length)} in your environment, or set it to the key for ${moved.to}.`
        : `Pass the key for ${moved.to} with --api-key or in ${OWN_KEY}, or --no-api-key if it needs none.`,
    },
  );
}
