/** The bots in a platform's settings. */

import { credentialsOf } from "./credentials.js";
import type { Platform } from "./platform.js";
import type { CommonSettings } from "./settings.js";

export type Bot = CommonSettings & { name: string };

/**
 * The platform's own bot, if its credentials are set, and those under `accounts`, which override the
 * platform's settings with their own.
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
