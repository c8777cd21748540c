import type { Config } from "../config/schema.js";
import { isTooOld } from "../policies/lateness.js";
import { findCommand } from "../routing/commands/index.js";
import type { RouterOptions } from "../routing/router.js";
import { accessListsOf, dmBehaviourOf, engageSettingsOf, platformConfig } from "../rules.js";
import type { Store } from "../store/store.js";

/** What the router asks, answered from the configuration and the store. */
export function routerOptionsOf(
  config: Config,
  store: Pick<Store, "isPaired">,
  startedAt: number,
): RouterOptions {
  return {
    config,
    findCommand,
    accessLists: (platform) => accessListsOf(config, platform),
    engageSettings: (platform) => engageSettingsOf(config, platform),
    dmBehaviour: (platform) => dmBehaviourOf(config, platform),
    isTooOld: ({ platform, sentAt, errand }, receivedAt) => {
      const maxAgeSeconds = platformConfig(config, platform)?.catch_up_max_age;
      if (errand || maxAgeSeconds === undefined) return false;
      return isTooOld({ sentAt, receivedAt, startedAt, maxAgeSeconds });
    },
    isPaired: (platform, userIds) => store.isPaired(platform, userIds),
  };
}
