/** Environment variables → keys. Hermes' names where it has one. */

import { configSchema } from "./schema.js";
import { keysOf, schemaAt } from "./walk.js";

/** A value for a key, and the words for where it came from. */
export interface Setting {
  path: string[];
  value: unknown;
  source: string;
}

export interface Variable {
  value: string;
  /** "env NAME", or "env NAME (.env:3)". */
  source: string;
}

const NAMES: Record<string, string> = {
  HERMES_TIMEZONE: "timezone",
  GATEWAY_ALLOWED_USERS: "allow_from",
  GATEWAY_ALLOW_ALL_USERS: "allow_all",
  SESSION_IDLE_MINUTES: "session_reset.idle_minutes",
  SESSION_RESET_HOUR: "session_reset.at_hour",
  HERMES_MODEL: "model.default",
  HERMES_MODEL_PROVIDER: "model.provider",
  HERMES_MODEL_BASE_URL: "model.base_url",
  HERMES_MODEL_API_KEY: "model.api_key",
  HERMES_HTTP_HOST: "http.host",
  HERMES_HTTP_PORT: "http.port",
  HERMES_HTTP_TOKEN: "http.token",
  HERMES_LOG_LEVEL: "log.level",
  API_SERVER_KEY: "platforms.api_server.api_key",
  SLACK_APP_TOKEN: "platforms.slack.app_token",
  SLACK_SIGNING_SECRET: "platforms.slack.signing_secret",
};

/** Suffixes of a platform's name. */
const PLATFORM_NAMES: Record<string, string> = {
  BOT_TOKEN: "token",
  ALLOWED_USERS: "allow_from",
  ALLOW_ALL_USERS: "allow_all",
  GROUP_ALLOWED_USERS: "group_allow_from",
  GROUP_ALLOWED_CHATS: "group_allowed_chats",
  ALLOWED_ROLES: "allowed_roles",
  ALLOW_BOTS: "allow_bots",
  HOME_CHANNEL: "home_channel",
};

const AUXILIARY_NAMES: Record<string, string> = {
  MODEL: "model",
  PROVIDER: "provider",
  BASE_URL: "base_url",
  API_KEY: "api_key",
};

/** A vendor's own variable speaks for that vendor only: its key must not travel to somebody else's address. */
const VENDOR_KEYS: Record<string, string> = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" };

/** `platforms` are the names that may stand before `_ALLOWED_USERS`: a shared `.env` has many more than are ours. */
export function environmentSettings(
  variables: ReadonlyMap<string, Variable>,
  platforms: Iterable<string>,
): Setting[] {
  const settings: Setting[] = [];
  for (const [name, path] of variableNames(platforms)) {
    const variable = variables.get(name);
    if (variable) settings.push({ path, value: variable.value, source: variable.source });
  }
  return settings;
}

/** Every variable that means something. */
export function variablesKnown(platforms: Iterable<string>): string[] {
  return [...[...variableNames(platforms)].map(([name]) => name), ...Object.values(VENDOR_KEYS)];
}

/** The vendor's key for a provider, if the environment has one. */
export function vendorKey(variables: ReadonlyMap<string, Variable>, provider: unknown): Variable | undefined {
  const name = typeof provider === "string" && Object.hasOwn(VENDOR_KEYS, provider) && VENDOR_KEYS[provider];
  return name ? variables.get(name) : undefined;
}

function* variableNames(platforms: Iterable<string>): Generator<[name: string, path: string[]]> {
  for (const [name, path] of Object.entries(NAMES)) yield [name, path.split(".")];
  for (const platform of new Set(platforms)) {
    const known = keysOf(schemaAt(configSchema, ["platforms", platform]));
    for (const [suffix, key] of Object.entries(PLATFORM_NAMES)) {
      if (known.includes(key)) yield [`${platform.toUpperCase()}_${suffix}`, ["platforms", platform, key]];
    }
  }
  for (const task of keysOf(schemaAt(configSchema, ["auxiliary"]))) {
    for (const [suffix, key] of Object.entries(AUXILIARY_NAMES)) {
      yield [`AUXILIARY_${task.toUpperCase()}_${suffix}`, ["auxiliary", task, key]];
    }
  }
}
