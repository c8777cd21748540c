/** The answers that a setup collects, from a person or from flags. Missing ones keep the current values. */
import type { Platform, SetupGuide } from "../../adapters/platform.js";
import { platformsOf } from "../../config/known-platforms.js";
import type { Config } from "../../config/schema.js";
import { platformConfig } from "../../rules.js";

export interface Answers {
  model?: ModelAnswer;
  /** By the platform's name. */
  platforms: Record<string, PlatformAnswer>;
  timezone?: string;
  reset?: ResetAnswer;
}

export interface ModelAnswer {
  provider: Config["model"]["provider"];
  /** The model's name. */
  name: string | null;
  baseUrl: string | null;
  /** A new one; null: remove it; undefined: keep the current one. */
  key?: string | null;
}

export interface PlatformAnswer {
  enabled: boolean;
  /** New ones, by the key under `platforms.<name>`. */
  secrets: Record<string, string>;
  access?: Access;
}

/** Who may talk to the bot. */
export type Access =
  | { who: "pair" } // whom the operator approves, by a code
  | { who: "everyone" }
  | { who: "list"; ids: readonly string[] };

export interface ResetAnswer {
  mode: Config["session_reset"]["mode"];
  atHour: number;
  idleMinutes: number;
}

/** A platform that setup can guide through. */
export type Guided = Platform & { readonly setup: SetupGuide };

export function guidedPlatforms(platforms: readonly Platform[]): Guided[] {
  return platforms.filter((platform): platform is Guided => platform.setup !== undefined);
}

export function guidedIn(config: Config): Guided[] {
  return guidedPlatforms(platformsOf(config));
}

/** The current value of a key under `platforms.<name>`. */
export function currentValue(config: Config, platform: string, key: string): unknown {
  return (platformConfig(config, platform) as Record<string, unknown> | undefined)?.[key] ?? null;
}

export function currentAccess(config: Config, name: string): Access {
  const { allow_all, allow_from, unauthorized_dm_behavior } = platformConfig(config, name)!;
  if (allow_all || config.allow_all) return { who: "everyone" };
  const ignored = (unauthorized_dm_behavior ?? config.unauthorized_dm_behavior) === "ignore";
  return ignored && allow_from.length > 0 ? { who: "list", ids: allow_from } : { who: "pair" };
}

export function currentReset({ session_reset: { mode, at_hour, idle_minutes } }: Config): ResetAnswer {
  return { mode, atHour: at_hour, idleMinutes: idle_minutes };
}

/** Separated by commas or blanks. */
export function idsIn(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((id) => id.trim())
    .filter((id) => id !== "");
}
