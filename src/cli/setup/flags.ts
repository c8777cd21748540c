/** Flags and variables → answers, for scripts. Errors say which flags to pass. */
import { credentialsOf } from "../../adapters/credentials.js";
import type { SecretGuide } from "../../adapters/platform.js";
import type { Config } from "../../config/schema.js";
import { isZone } from "../../config/sections/scalars.js";
import { HermesError } from "../../errors.js";
import {
  type Access,
  type Answers,
  currentReset,
  currentValue,
  type Guided,
  guidedIn,
  idsIn,
  type ModelAnswer,
} from "./answers.js";
import { type Current, modelKeyNames } from "./draft.js";

export interface SetupFlags {
  provider?: ModelAnswer["provider"];
  baseUrl?: string;
  model?: string;
  /** False: none. */
  apiKey?: string | false;
  access?: string[];
  timezone?: string;
  reset?: Config["session_reset"]["mode"];
  resetHour?: number;
  idleMinutes?: number;
  /** Of platforms, by the flags' names: see `secretFlag`. */
  [secret: string]: unknown;
}

/** `--slack-app-token` for `platforms.slack.app_token`. */
export function secretFlag(platform: string, key: string): string {
  return `${platform}-${key}`.replaceAll("_", "-");
}

/** As commander stores it: `slackAppToken`. */
function attributeOf(flag: string): string {
  return flag.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function answersFrom(flags: SetupFlags, current: Current): Answers {
  const { config } = current.loaded;
  const model = modelFrom(flags, current);
  const platforms = platformsFrom(flags, current);
  const { timezone } = flags;
  if (timezone !== undefined && !isZone(timezone))
    throw wrong(`--timezone ${timezone} is not a time zone.`, "Give an IANA name, such as Europe/Berlin.");
  const reset = currentReset(config);
  return {
    platforms,
    ...(model ? { model } : {}),
    ...(timezone === undefined ? {} : { timezone }),
    reset: {
      mode: flags.reset ?? reset.mode,
      atHour: flags.resetHour ?? reset.atHour,
      idleMinutes: flags.idleMinutes ?? reset.idleMinutes,
    },
  };
}

function wrong(message: string, hint: string): HermesError {
  return new HermesError("invalid", message, { hint });
}

function modelFrom(flags: SetupFlags, { env, loaded }: Current): ModelAnswer | undefined {
  const { model } = loaded.config;
  const { provider = model.provider, baseUrl, model: name } = flags;
  const inEnvironment = modelKeyNames(provider).map((variable) => env[variable]);
  const given = flags.apiKey ?? (provider === "echo" ? undefined : inEnvironment.find(Boolean));
  const apiKey = given === false ? null : given;
  const said = [flags.provider, baseUrl, name, apiKey].some((value) => value !== undefined);
  if (!said) return undefined;
  if (provider === "echo") {
    if (baseUrl === undefined && name === undefined && apiKey === undefined)
      return { provider, name: null, baseUrl: null };
    throw wrong("Whose model is it?", "Pass --provider openai-compatible, openai or anthropic.");
  }
  const same = provider === model.provider;
  const answer = {
    provider,
    name: name ?? (same ? model.default : null),
    baseUrl: baseUrl ?? (same ? model.base_url : null),
    ...(apiKey === undefined ? {} : { key: apiKey }),
  };
  if (answer.name === null) throw wrong(`${provider} needs the name of a model.`, "Pass --model NAME.");
  if (provider === "openai-compatible" && answer.baseUrl === null)
    throw wrong(
      "openai-compatible needs an address.",
      "Pass --base-url http://127.0.0.1:11434/v1 or the like.",
    );
  return answer;
}

/** A secret in the environment counts as given, so that none has to be in a command line. */
function platformsFrom(flags: SetupFlags, { env, loaded: { config } }: Current): Answers["platforms"] {
  const offered = guidedIn(config);
  const access = accessFrom(flags.access ?? [], offered);
  const platforms: Answers["platforms"] = {};
  for (const platform of offered) {
    const { name } = platform;
    const secrets = secretsFrom(platform, flags, env);
    const who = access.get(name);
    if (Object.keys(secrets).length === 0 && !who) continue;
    requireSecrets(platform, secrets, config);
    platforms[name] = { enabled: true, secrets, ...(who ? { access: who } : {}) };
  }
  return platforms;
}

function secretsFrom(
  { name, setup }: Guided,
  flags: SetupFlags,
  env: Current["env"],
): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const { key, variable } of setup.secrets) {
    const value = flags[attributeOf(secretFlag(name, key))] ?? env[variable];
    if (typeof value === "string" && value !== "") secrets[key] = value;
  }
  return secrets;
}

function requireSecrets(platform: Guided, given: Record<string, string>, config: Config): void {
  const { name, label, setup } = platform;
  const has = (key: string) => given[key] !== undefined || currentValue(config, name, key) !== null;
  const required = setup.secrets.filter(({ key }) => credentialsOf(platform).includes(key));
  const missing = required.find(({ key }) => !has(key));
  if (missing) throw wrong(`${label} has no ${missing.key} yet.`, howToPass(name, [missing]));
  if (!setup.oneOf || setup.oneOf.keys.some(has)) return;
  const choices = setup.secrets.filter(({ key }) => setup.oneOf!.keys.includes(key));
  throw wrong(setup.oneOf.message, howToPass(name, choices));
}

function howToPass(platform: string, secrets: readonly SecretGuide[]): string {
  const variables = secrets.map(({ variable }) => variable).join(" or ");
  const flags = secrets.map(({ key }) => `--${secretFlag(platform, key)}`).join(" or ");
  return `Set ${variables} in the environment, or pass ${flags}.`;
}

/** `telegram=pair`, `discord=everyone`, `slack=U1,U2`. */
function accessFrom(words: readonly string[], offered: readonly Guided[]): Map<string, Access> {
  const names = offered.map(({ name }) => name);
  const found = new Map<string, Access>();
  for (const word of words) {
    const [name = "", who = ""] = word.split(/=(.*)/s);
    if (!names.includes(name) || who === "")
      throw wrong(
        `--access ${word} is invalid.`,
        `Give <platform>=<who>, with pair, everyone or ids: ${names[0]}=pair. Platforms: ${names.join(", ")}.`,
      );
    found.set(name, who === "pair" || who === "everyone" ? { who } : { who: "list", ids: idsIn(who) });
  }
  return found;
}
