/** What a setup was told, by a person or by flags. What is left out stays as it is. */
import type { Config } from "../../config/schema.js";

export interface Answers {
  model?: ModelAnswer;
  platforms: Partial<Record<PlatformName, PlatformAnswer>>;
  timezone?: string;
  reset?: ResetAnswer;
}

export const PLATFORM_NAMES = ["telegram", "discord", "slack"] as const;
export type PlatformName = (typeof PLATFORM_NAMES)[number];

export interface ModelAnswer {
  provider: Config["model"]["provider"];
  /** The model's name. */
  name: string | null;
  baseUrl: string | null;
  /** A new one; null: none any more; undefined: the one that there is. */
  key?: string | null;
}

export interface PlatformAnswer {
  enabled: boolean;
  /** New ones, by the key under `platforms.<name>`. */
  secrets: Partial<Record<SecretKey, string>>;
  access?: Access;
}

export type SecretKey = "token" | "app_token" | "signing_secret";

/** Who may talk to the bot. */
export type Access =
  | { who: "pair" } // whoever the operator approves, by a code
  | { who: "everyone" }
  | { who: "list"; ids: readonly string[] };

export interface ResetAnswer {
  mode: Config["session_reset"]["mode"];
  atHour: number;
  idleMinutes: number;
}

export function currentAccess(config: Config, name: PlatformName): Access {
  const { allow_all, allow_from, unauthorized_dm_behavior } = config.platforms[name];
  if (allow_all || config.allow_all) return { who: "everyone" };
  const ignored = (unauthorized_dm_behavior ?? config.unauthorized_dm_behavior) === "ignore";
  return ignored && allow_from.length > 0 ? { who: "list", ids: allow_from } : { who: "pair" };
}

export function currentReset({ session_reset: { mode, at_hour, idle_minutes } }: Config): ResetAnswer {
  return { mode, atHour: at_hour, idleMinutes: idle_minutes };
}

/** With commas or blanks between them. */
export function idsIn(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((id) => id.trim())
    .filter((id) => id !== "");
}
