/** Environment variables → keys. Hermes' names where it has one. */

import type { Platform } from "../adapters/platform.js";
import { builtIn } from "../adapters/platforms.js";
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
  HERMES_OIDC_CLIENT_SECRET: "web_chat.oidc.client_secret",
  HERMES_LOG_LEVEL: "log.level",
  SEARXNG_URL: "web.searxng_url",
  BRAVE_SEARCH_API_KEY: "web.brave_api_key",
  TAVILY_API_KEY: "web.tavily_api_key",
};

/** Suffixes of a platform's name, for keys that many platforms have. A platform may add variables of its own. */
const PLATFORM_SUFFIXES: Record<string, string> = {
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

/** A vendor's variable is used for that vendor only: its key must not be sent to another address. */
const VENDOR_KEYS: Record<string, string> = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" };

/** Only variables of these platforms are read: a shared `.env` has many others. */
export function environmentSettings(
  variables: ReadonlyMap<string, Variable>,
  platforms: Iterable<string>,
  external: readonly Platform[] = [],
): Setting[] {
  const settings: Setting[] = [];
  for (const [name, path] of variableNames(platforms, external)) {
    const variable = variables.get(name);
    if (variable) settings.push({ path, value: variable.value, source: variable.source });
  }
  return settings;
}

/** Every variable that the gateway reads. */
export function variablesKnown(platforms: Iterable<string>, external: readonly Platform[] = []): string[] {
  return [...[...variableNames(platforms, external)].map(([name]) => name), ...Object.values(VENDOR_KEYS)];
}

/** The vendor's key for a provider, if the environment has one. */
export function vendorKey(variables: ReadonlyMap<string, Variable>, provider: unknown): Variable | undefined {
  const name = typeof provider === "string" && Object.hasOwn(VENDOR_KEYS, provider) && VENDOR_KEYS[provider];
  return name ? variables.get(name) : undefined;
}

type Named = [name: string, path: string[]];

export function* variableNames(platforms: Iterable<string>, external: readonly Platform[]): Generator<Named> {
  for (const [name, path] of Object.entries(NAMES)) yield [name, path.split(".")];
  for (const platform of new Set(platforms)) yield* platformVariables(platform, external);
  for (const task of keysOf(schemaAt(configSchema, ["auxiliary"]))) {
    for (const [suffix, key] of Object.entries(AUXILIARY_NAMES)) {
      yield [`AUXILIARY_${task.toUpperCase()}_${suffix}`, ["auxiliary", task, key]];
    }
  }
}

function* platformVariables(name: string, external: readonly Platform[]): Generator<Named> {
  const known = keysOf(schemaAt(configSchema, ["platforms", name]));
  const { env = {} } = builtIn(name) ?? external.find((platform) => platform.name === name) ?? {};
  for (const [suffix, key] of Object.entries(PLATFORM_SUFFIXES)) {
    const variable = `${name.toUpperCase()}_${suffix}`;
    if (known.includes(key) && !Object.hasOwn(env, variable)) yield [variable, ["platforms", name, key]];
  }
  for (const [variable, key] of Object.entries(env)) yield [variable, ["platforms", name, ...key.split(".")]];
}

/** The variable that sets a key of a platform. */
export function variableOf(platform: Platform, key: string): string | undefined {
  const path = ["platforms", platform.name, key].join(".");
  for (const [variable, to] of platformVariables(platform.name, [platform]))
    if (to.join(".") === path) return variable;
  return undefined;
}
