import { readlinkSync } from "node:fs";

const LOCALTIME = "/etc/localtime";
/** Without `posix/` and `right/`, which have copies of zones under other names. */
const ZONE_FILE = /\/zoneinfo\/(?!posix\/|right\/)(\w[\w+-]*(?:\/\w[\w+-]*){0,2})$/;
const UTC = new Set(["Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "Universal", "Zulu", "UCT", "UTC"]);

/**
 * The machine's time zone, from the same file that `Intl` reads. `Intl` itself would load tables of several megabytes,
 * which an idle daemon can save.
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
    // Not a link, or missing: `Intl` has other ways.
    return "";
  }
}
