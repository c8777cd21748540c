/** Flags and variables → answers, for scripts. What is missing or makes no sense is an error that says what to pass. */
import type { Config } from "../../config/schema.js";
import { isZone } from "../../config/sections/scalars.js";
import { HermesError } from "../../errors.js";
import {
  type Access,
  type Answers,
  currentReset,
  idsIn,
  type ModelAnswer,
  PLATFORM_NAMES,
  type PlatformAnswer,
  type PlatformName,
  type SecretKey,
} from "./answers.js";
import { type Current, modelKeyNames } from "./draft.js";
import { GUIDES, SIGNING_SECRET } from "./guides.js";

export interface SetupFlags {
  provider?: ModelAnswer["provider"];
  baseUrl?: string;
  model?: string;
  apiKey?: string;
  telegramToken?: string;
  discordToken?: string;
  slackToken?: string;
  slackAppToken?: string;
  slackSigningSecret?: string;
  access?: string[];
  timezone?: string;
  reset?: Config["session_reset"]["mode"];
  resetHour?: number;
  idleMinutes?: number;
}

export function answersFrom(flags: SetupFlags, current: Current): Answers {
  const { config } = current.loaded;
  const model = modelFrom(flags, current);
  const platforms = platformsFrom(flags, current);
  const { timezone } = flags;
  if (timezone !== undefined && !isZone(timezone))
    throw wrong(`--timezone ${timezone} is no time zone.`, "Give an IANA name, such as Europe/Berlin.");
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
  const apiKey = flags.apiKey ?? (provider === "echo" ? undefined : inEnvironment.find(Boolean));
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

/** A secret in the environment counts as given, so that none has to stand in a command line. */
function platformsFrom(flags: SetupFlags, { env, loaded: { config } }: Current): Answers["platforms"] {
  const access = accessFrom(flags.access ?? []);
  const platforms: Answers["platforms"] = {};
  for (const name of PLATFORM_NAMES) {
    const secrets = secretsFrom(name, flags, env);
    const given = Object.keys(secrets).length > 0;
    const who = access.get(name);
    if (!given && !who) continue;
    const settings = config.platforms[name];
    if (settings.token === null && secrets.token === undefined)
      throw wrong(
        `${GUIDES[name].title} has no token yet.`,
        `Set ${GUIDES[name].secrets[0]!.variable} in the environment, or pass --${name}-token.`,
      );
    platforms[name] = { enabled: true, secrets, ...(who ? { access: who } : {}) };
  }
  checkSlack(platforms.slack, config);
  return platforms;
}

function checkSlack(answer: PlatformAnswer | undefined, { platforms: { slack } }: Config): void {
  if (!answer || slack.app_token || slack.signing_secret) return;
  if (answer.secrets.app_token || answer.secrets.signing_secret) return;
  throw wrong(
    "Slack needs an app-level token (Socket Mode) or a signing secret (HTTP).",
    `Set SLACK_APP_TOKEN or ${SIGNING_SECRET} in the environment, or pass --slack-app-token or --slack-signing-secret.`,
  );
}

function secretsFrom(name: PlatformName, flags: SetupFlags, env: Current["env"]): PlatformAnswer["secrets"] {
  const byFlag: Record<PlatformName, Partial<Record<SecretKey, string | undefined>>> = {
    telegram: { token: flags.telegramToken },
    discord: { token: flags.discordToken },
    slack: {
      token: flags.slackToken,
      app_token: flags.slackAppToken,
      signing_secret: flags.slackSigningSecret,
    },
  };
  const variables: [SecretKey, string][] = GUIDES[name].secrets.map(({ key, variable }) => [key, variable]);
  if (name === "slack") variables.push(["signing_secret", SIGNING_SECRET]);
  const secrets: PlatformAnswer["secrets"] = {};
  for (const [key, variable] of variables) {
    const value = byFlag[name][key] ?? env[variable];
    if (value) secrets[key] = value;
  }
  return secrets;
}

/** `telegram=pair`, `discord=everyone`, `slack=U1,U2`. */
function accessFrom(words: readonly string[]): Map<PlatformName, Access> {
  const found = new Map<PlatformName, Access>();
  for (const word of words) {
    const [name = "", who = ""] = word.split(/=(.*)/s);
    if (!isPlatform(name) || who === "")
      throw wrong(
        `--access ${word} makes no sense.`,
        "Give <platform>=<who>: telegram=pair, discord=everyone, slack=U012345,U067890.",
      );
    found.set(name, who === "pair" || who === "everyone" ? { who } : { who: "list", ids: idsIn(who) });
  }
  return found;
}

function isPlatform(name: string): name is PlatformName {
  return (PLATFORM_NAMES as readonly string[]).includes(name);
}
