import { readlinkSync } from "node:fs";

const LOCALTIME = "/etc/localtime";
/** Without `posix/` and `right/`, which hold copies of other zones under names that are not theirs. */
const ZONE_FILE = /\/zoneinfo\/(?!posix\/|right\/)(\w[\w+-]*(?:\/\w[\w+-]*){0,2})$/;
const UTC = new Set(["Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "Universal", "Zulu", "UCT", "UTC"]);

/**
 * The zone that the machine's clock is set to, from where `Intl` takes it too. Asking `Intl` would load its tables, which
 * take megabytes that a daemon without work to do can save.
 */
export function systemZone(env: { TZ?: string | undefined } = process.env, localtime = LOCALTIME): string {
  const linked = env.TZ === undefined ? ZONE_FILE.exec(linkOf(localtime))?.[1] : undefined;
  if (linked === undefined) return Intl.DateTimeFormat().resolvedOptions().timeZone;
  return UTC.has(linked) ? "UTC" : linked;
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    // Not a link, or none at all: `Intl` knows other ways.
    return "";
  }
}
