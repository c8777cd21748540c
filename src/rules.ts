import type { Config, PlatformConfig, ResetPolicyConfig } from "./config/schema.js";
import type { AccessLists } from "./policies/access.js";
import type { CompressionSettings } from "./policies/compression.js";
import type { EngageSettings } from "./policies/engage.js";
import type { ResetPolicy, ResetSettings } from "./policies/reset.js";
import type { Isolation } from "./sessions/key.js";

/** The configuration in the words of the rules: who reads a rule need not know the file. */

export function isolationOf(config: Config): Isolation {
  return {
    groupSessionsPerUser: config.group_sessions_per_user,
    threadSessionsPerUser: config.thread_sessions_per_user,
  };
}

export function platformConfig(config: Config, platform: string): PlatformConfig | undefined {
  return (config.platforms as Record<string, PlatformConfig>)[platform];
}

/** The platforms that run, and the chats that are their homes. */
export function placesOf(config: Config): { platforms: string[]; homes: Record<string, string> } {
  const entries = Object.entries(config.platforms as Record<string, PlatformConfig>);
  const running = entries.filter(([, { enabled }]) => enabled);
  return {
    platforms: running.map(([name]) => name),
    homes: Object.fromEntries(
      running.flatMap(([name, { home_channel }]) => (home_channel === null ? [] : [[name, home_channel]])),
    ),
  };
}

export function accessListsOf(config: Config, platform: string): AccessLists {
  const own = platformConfig(config, platform);
  return {
    owners: config.owners,
    allowAll: config.allow_all,
    allowFrom: config.allow_from,
    platform: {
      allowAll: own?.allow_all ?? false,
      allowBots: false,
      allowFrom: own?.allow_from ?? [],
      groupAllowFrom: own?.group_allow_from ?? [],
      groupAllowedChats: [],
    },
  };
}

export function engageSettingsOf(config: Config, platform: string): EngageSettings {
  const own = platformConfig(config, platform);
  return {
    requireMention: own?.require_mention ?? true,
    strictMention: false,
    freeResponseChannels: own?.free_response_channels ?? [],
    allowedChannels: own?.allowed_channels ?? [],
    ignoredChannels: own?.ignored_channels ?? [],
    mentionPatterns: own?.mention_patterns ?? [],
    allowBots: "none",
  };
}

export function resetSettingsOf(config: Config): ResetSettings {
  return {
    default: toPolicy(config.session_reset),
    byType: mapValues(config.reset_by_type, toPolicy),
    byPlatform: mapValues(config.reset_by_platform, toPolicy),
  };
}

function toPolicy(policy: ResetPolicyConfig): ResetPolicy {
  return { mode: policy.mode, atHour: policy.at_hour, idleMinutes: policy.idle_minutes };
}

export function compressionSettingsOf(config: Config): CompressionSettings {
  const { compression } = config;
  return {
    enabled: compression.enabled,
    threshold: compression.threshold,
    targetRatio: compression.target_ratio,
    protectFirst: compression.protect_first_n,
    protectLast: compression.protect_last_n,
    hardMessageLimit: compression.hygiene_hard_message_limit,
  };
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
