import type { Command } from "../commands/command.js";
import { findCommand } from "../commands/index.js";
import type { Config } from "../config/schema.js";
import type { AdmissionRules } from "../policies/admission.js";
import { accessListsOf, dmBehaviourOf, engageSettingsOf, platformConfig } from "../rules.js";
import type { Store } from "../store/store.js";

export interface RouterOptions {
  /** When this gateway started receiving. */
  startedAt: number;
  of(platform: string): AdmissionRules;
  findCommand(name: string): Command | undefined;
  isPaired(platform: string, userIds: readonly string[]): Promise<boolean>;
}

/** The router's inputs from the configuration and the store. */
export function routerOptionsOf(
  config: Config,
  store: Pick<Store, "pairingState">,
  startedAt: number,
): RouterOptions {
  /** One per platform. */
  const known = new Map<string, AdmissionRules>();
  const rulesFor = (platform: string) => {
    const rules = {
      lists: accessListsOf(config, platform),
      engage: engageSettingsOf(config, platform),
      dmBehaviour: dmBehaviourOf(config, platform),
      maxAgeSeconds: platformConfig(config, platform)?.catch_up_max_age,
    };
    known.set(platform, rules);
    return rules;
  };
  return {
    startedAt,
    of: (platform) => known.get(platform) ?? rulesFor(platform),
    findCommand,
    isPaired: async (platform, userIds) => (await store.pairingState(platform, userIds)).isPaired,
  };
}
