/** Answers → the two files as they would be, and the configuration that they would give. Touches no file. */
import { parseEnvFile } from "../../config/dotenv.js";
import { setVariable } from "../../config/edit-env.js";
import { editYaml, readRaw, type YamlEdit } from "../../config/edit-yaml.js";
import { type ConfigTexts, type LoadedConfig, loadConfig } from "../../config/load.js";
import { type Env, homePaths } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import { getIn } from "../../config/tree.js";
import { HermesError } from "../../errors.js";
import { readRegularSync } from "../../regular-file.js";
import type { Access, Answers, ModelAnswer, PlatformName, ResetAnswer } from "./answers.js";
import { GUIDES, SIGNING_SECRET } from "./guides.js";

const HEADER = "# Written by `hermes setup`. Every key with its default: config.example.yaml\n";

export interface Draft {
  texts: ConfigTexts;
  /** As it will be for a gateway that is started in this environment. */
  loaded: LoadedConfig;
  /** The same with the new secrets first, whatever the environment says: for trying them. */
  tried: Config;
  /** Variables of this environment that stand in the way of new secrets. */
  shadowed: string[];
}

export interface Current {
  home: string;
  env: Env;
  texts: ConfigTexts;
  loaded: LoadedConfig;
}

export function readCurrent(home: string, env: Env): Current {
  const texts = readTexts(home);
  return { home, env, texts, loaded: loadConfig({ home, env, texts }) };
}

export function readTexts(home: string): ConfigTexts {
  const { configFile, envFile } = homePaths(home);
  return { config: readIfThere(configFile), env: readIfThere(envFile) };
}

function readIfThere(path: string): string {
  try {
    return readRegularSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new HermesError("unavailable", `Can't read ${path}: ${(error as Error).message}`);
  }
}

export function draft(current: Current, answers: Answers): Draft {
  const { home, env, loaded } = current;
  const { config } = loaded;
  const edits = [
    ...modelEdits(config, answers.model),
    ...Object.entries(answers.platforms).flatMap(([name, answer]) => [
      ...enabledEdits(config, name as PlatformName, answer.enabled),
      ...(answer.access ? accessEdits(config, name as PlatformName, answer.access) : []),
    ]),
    ...timezoneEdits(loaded, answers.timezone),
    ...resetEdits(config, answers.reset),
  ];
  const secrets = secretsOf(answers, hasOwnModelKey(current));
  const edited = { ...current.texts, config: editYaml(current.texts.config, edits) };
  const placed = placeSecrets(answers.model?.key === null ? withoutKey(edited) : edited, secrets);
  const { config: text } = placed.texts;
  const isNew = current.texts.config.trim() === "" && text !== current.texts.config;
  const texts = { ...placed.texts, config: isNew ? HEADER + text : text };
  const tried = loadConfig({ home, env: { ...env, ...placed.variables }, texts });
  for (const secret of secrets) requireInForce(secret, tried);
  return {
    texts,
    loaded: loadConfig({ home, env, texts }),
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

/** A token switches its platform on; only an explicit no has to go. */
function enabledEdits({ platforms }: Config, name: PlatformName, enabled: boolean): YamlEdit[] {
  if (platforms[name].enabled === enabled) return [];
  return [edit(`platforms.${name}.enabled`, enabled ? undefined : false)];
}

function accessEdits(config: Config, name: PlatformName, access: Access): YamlEdit[] {
  const { allow_all, allow_from, unauthorized_dm_behavior } = config.platforms[name];
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

/** Written also where it is the system's: that may change, and the resets with it. */
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

interface Secret {
  path: string[];
  variable: string;
  value: string;
}

const OWN_KEY = "HERMES_MODEL_API_KEY";
const VENDOR_KEYS: Partial<Record<ModelAnswer["provider"], string>> = {
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
};

/** The names under which a key for this provider is looked for, the strongest first. */
export function modelKeyNames(provider: ModelAnswer["provider"]): string[] {
  return [OWN_KEY, ...(VENDOR_KEYS[provider] ? [VENDOR_KEYS[provider]] : [])];
}

/** Then a vendor's own variable would have no say. */
function hasOwnModelKey({ env, texts }: Current): boolean {
  return Boolean(env[OWN_KEY] || parseEnvFile(texts.env).variables.get(OWN_KEY)?.value);
}

function secretsOf({ model, platforms }: Answers, ownModelKey: boolean): Secret[] {
  const secrets: Secret[] = [];
  if (model?.key) {
    const variable = (!ownModelKey && VENDOR_KEYS[model.provider]) || OWN_KEY;
    secrets.push({ path: ["model", "api_key"], variable, value: model.key });
  }
  for (const [name, answer] of Object.entries(platforms)) {
    for (const [key, value] of Object.entries(answer.secrets)) {
      const guide = GUIDES[name as PlatformName].secrets.find((secret) => secret.key === key);
      const variable = guide?.variable ?? SIGNING_SECRET;
      secrets.push({ path: ["platforms", name, key], variable, value });
    }
  }
  return secrets;
}

function withoutKey({ config, env }: ConfigTexts): ConfigTexts {
  const isSet = parseEnvFile(env).variables.get(OWN_KEY)?.value;
  return {
    config: editYaml(config, [edit("model.api_key", undefined)]),
    env: isSet ? setVariable(env, OWN_KEY, "") : env,
  };
}

/** Somewhere else may be another, stronger word for the same key. */
function requireInForce({ path, variable, value }: Secret, { config, sources }: LoadedConfig): void {
  if (getIn(config, path) === value) return;
  const key = path.join(".");
  throw new HermesError("conflict", `${key} has another value already (${sources[key]}).`, {
    hint: `Take that out: ${variable} in .env would have no effect.`,
  });
}

const REFERENCE = /^\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}$/;

/** Into `.env`; where the file refers to a variable, under that name. A secret in the file itself moves out of it. */
function placeSecrets(texts: ConfigTexts, secrets: readonly Secret[]) {
  const variables: Record<string, string> = {};
  let { config, env } = texts;
  for (const { path, variable, value } of secrets) {
    const raw = readRaw(config, path);
    const reference = typeof raw === "string" ? REFERENCE.exec(raw)?.[1] : undefined;
    if (raw !== undefined && reference === undefined) config = editYaml(config, [{ path, value: undefined }]);
    env = setVariable(env, reference ?? variable, value);
    variables[reference ?? variable] = value;
  }
  return { texts: { config, env }, variables };
}
