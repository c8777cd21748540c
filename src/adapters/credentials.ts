import type { Platform } from "./platform.js";

/** Keys without which the platform can't run. */
export function credentialsOf({ settings, credentials }: Platform): readonly string[] {
  if (settings !== undefined && "credentials" in settings) return settings.credentials;
  return credentials ?? ["token"];
}
