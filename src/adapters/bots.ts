/** The bots that a platform's settings name. */

import { credentialsOf } from "./credentials.js";
import type { Platform } from "./platform.js";
import type { CommonSettings } from "./settings.js";

export type Bot = CommonSettings & { name: string };

/**
 * The platform's own bot, where its credentials are set, and those under `accounts`: each has the platform's settings,
 * with its own on top.
 */
export function botsOf(platform: Platform, settings: CommonSettings | undefined): Bot[] {
  if (!settings?.enabled) return [];
  const { accounts = {} } = settings as { accounts?: Record<string, object> };
  const isComplete = credentialsOf(platform).every(
    (key) => (settings as Record<string, unknown>)[key] != null,
  );
  const own = isComplete ? [{ ...settings, name: platform.name }] : [];
  return [...own, ...Object.entries(accounts).map(([name, account]) => ({ ...settings, ...account, name }))];
}
