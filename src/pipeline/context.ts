import type { Adapter } from "../adapters/adapter.js";
import type { Target } from "../message.js";
import type { CompressionSettings } from "../policies/compression-limits.js";
import type { ResetSettings } from "../policies/reset.js";
import { compressionSettingsOf, isolationOf, resetSettingsOf } from "../rules.js";
import type { Isolation, KeyOptions } from "../sessions/key.js";
import { readAliasFrom } from "../sessions/whatsapp-identity.js";
import { ChatChoices } from "./chat-choices.js";
import { Pace } from "./pace.js";
import type { GatewayParts } from "./parts.js";

/** Shared by all stages: the gateway's parts and values derived from the configuration. Created once. */
export interface Context extends GatewayParts {
  isolation: Isolation;
  keys: KeyOptions;
  reset: ResetSettings;
  compression: CompressionSettings;
  choices: ChatChoices;
  pace: Pace;
  /** Aborted when the gateway stops. */
  stopping: AbortSignal;
  /** A target without an account uses the platform's first bot. */
  adapterFor(target: Pick<Target, "platform" | "account">): Adapter | undefined;
  /** Whether the account isn't the platform's first bot. */
  isAdditionalBot(platform: string, account: string): boolean;
}

export function contextOf(parts: GatewayParts, stopping: AbortSignal): Context {
  const { config, adapters, homeDir } = parts;
  return {
    ...parts,
    isolation: isolationOf(config),
    keys: { readAlias: readAliasFrom(homeDir) },
    reset: resetSettingsOf(config),
    compression: compressionSettingsOf(config),
    choices: new ChatChoices(),
    pace: new Pace(),
    stopping,
    adapterFor: ({ platform, account }) =>
      adapters.find((a) => a.platform === platform && (a.account === account || account === "")),
    isAdditionalBot: (platform, account) =>
      adapters.filter((a) => a.platform === platform).findIndex((a) => a.account === account) > 0,
  };
}
