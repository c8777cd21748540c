import type { Config } from "../config/schema.js";
import { findCommand } from "../routing/commands/index.js";
import type { RouterOptions } from "../routing/router.js";
import { accessListsOf, dmBehaviourOf, engageSettingsOf } from "../rules.js";
import type { Store } from "../store/store.js";

/** What the router asks, answered from the configuration and the store. */
export function routerOptionsOf(config: Config, store: Pick<Store, "isPaired">): RouterOptions {
  return {
    config,
    findCommand,
    accessLists: (platform) => accessListsOf(config, platform),
    engageSettings: (platform) => engageSettingsOf(config, platform),
    dmBehaviour: (platform) => dmBehaviourOf(config, platform),
    isPaired: (platform, userIds) => store.isPaired(platform, userIds),
  };
}
