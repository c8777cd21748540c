import { isChatId, isReachable } from "./adapters/chat-ids.js";
import { platformsOf } from "./config/known-platforms.js";
import type { Config, PlatformConfig, ResetPolicyConfig, RoomsConfig } from "./config/schema.js";
import type { AccessLists } from "./policies/access.js";
import { type AccessProblem, accessProblem } from "./policies/access-problem.js";
import type { ApprovalSettings } from "./policies/approval.js";
import type { CompressionSettings } from "./policies/compression-limits.js";
import type { EngageSettings } from "./policies/engage.js";
import type { ResetPolicy, ResetSettings } from "./policies/reset.js";
import type { Isolation } from "./sessions/key.js";
import type { KnownTargets } from "./targets/target.js";
import type { ToolSettings } from "./tools/registry.js";

/** Translates the configuration for the policies, which don't know its schema. */

export function isolationOf(config: Config): Isolation {
  return {
    groupSessionsPerUser: config.group_sessions_per_user,
    threadSessionsPerUser: config.thread_sessions_per_user,
  };
}

export function platformConfig(config: Config, platform: string): (PlatformConfig & RoomsConfig) | undefined {
  return (config.platforms as Record<string, PlatformConfig & RoomsConfig>)[platform];
}

/** The platforms that can receive unsolicited messages, and their home channels. */
export function knownTargetsOf(config: Config): Omit<KnownTargets, "chats"> {
  const known = platformsOf(config);
  const entries = Object.entries(config.platforms as Record<string, PlatformConfig>);
  const running = entries.filter(([name, { enabled }]) => enabled && isReachable(name, known));
  return {
    platforms: running.map(([name]) => name),
    isChatId: (platform, text) => isChatId(platform, text, known),
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
      allowBots: (own?.allow_bots ?? "none") !== "none",
      allowFrom: own?.allow_from ?? [],
      groupAllowFrom: own?.group_allow_from ?? [],
      groupAllowedChats: own?.group_allowed_chats ?? [],
      allowedRoles: own?.allowed_roles ?? [],
      dmPolicy: own?.dm_policy ?? null,
      groupPolicy: own?.group_policy ?? null,
    },
  };
}

/** How to treat direct messages of strangers; undefined: not configured. The global default is `pair`. */
export function dmBehaviourOf(config: Config, platform: string): "pair" | "ignore" | undefined {
  const own = platformConfig(config, platform);
  const chosen = config.unauthorized_dm_behavior === "pair" ? undefined : config.unauthorized_dm_behavior;
  const policy = own?.dm_policy && (own.dm_policy === "pairing" ? "pair" : "ignore");
  return own?.unauthorized_dm_behavior ?? chosen ?? policy ?? undefined;
}

/** No model is configured, so the agent repeats what people write. */
export function repeatsOnly({ agent, model }: Pick<Config, "agent" | "model">): boolean {
  return agent.backend === "model" && model.provider === "echo";
}

/** Access problems of the enabled chat platforms. */
export function accessProblems(config: Config): AccessProblem[] {
  const chats = platformsOf(config).filter(({ setup }) => setup !== undefined);
  return chats
    .filter(({ name }) => platformConfig(config, name)?.enabled)
    .flatMap(
      ({ name }) => accessProblem(name, accessListsOf(config, name), dmBehaviourOf(config, name)) ?? [],
    );
}

export function engageSettingsOf(config: Config, platform: string): EngageSettings {
  const own = platformConfig(config, platform);
  return {
    requireMention: own?.require_mention ?? true,
    strictMention: own?.strict_mention ?? false,
    threadRequireMention: own?.thread_require_mention ?? false,
    exclusiveMentions: own?.exclusive_bot_mentions ?? true,
    freeResponseChannels: [...(own?.free_response_channels ?? []), ...(own?.free_response_chats ?? [])],
    allowedChannels: [...(own?.allowed_channels ?? []), ...(own?.allowed_chats ?? [])],
    allowedThreads: own?.allowed_topics ?? [],
    ignoredChannels: [...(own?.ignored_channels ?? []), ...(own?.ignored_threads ?? [])],
    guestMode: own?.guest_mode ?? false,
    mentionPatterns: own?.mention_patterns ?? [],
    allowBots: own?.allow_bots ?? "none",
  };
}

export function resetSettingsOf(config: Config): ResetSettings {
  return {
    default: toPolicy(config.session_reset),
    byType: mapValues(config.reset_by_type, toPolicy),
    byPlatform: mapValues(config.reset_by_platform, toPolicy),
    lasting: new Set(
      platformsOf(config).flatMap(({ name, lastingThreads }) => (lastingThreads ? [name] : [])),
    ),
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

export function toolSettingsOf(config: Config): ToolSettings {
  return {
    rules: config.tools,
    toolsets: config.toolsets,
    platformToolsets: config.platform_toolsets,
    disabled: config.agent.disabled_toolsets,
  };
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

export function approvalSettingsOf({ approvals }: Config): ApprovalSettings {
  const { mode, cron_mode: cronMode, unattended_mode: unattendedMode, deny } = approvals;
  return { mode, cronMode, unattendedMode, deny };
}
