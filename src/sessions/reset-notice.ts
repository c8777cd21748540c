import type { RouteRow } from "../store/queues.js";

/** What a chat is told when its session began afresh. */
export function resetNotice(
  route: RouteRow,
  settings: { notify: boolean; excludedPlatforms: readonly string[]; atHour: number; idleMinutes: number },
): string | undefined {
  if (!route.wasAutoReset) return undefined;
  const suspended = route.autoResetReason === "suspended";
  const wanted =
    settings.notify && route.resetHadActivity && !settings.excludedPlatforms.includes(route.origin.platform);
  if (!suspended && !wanted) return undefined;
  if (route.autoResetReason === "session_switch") return MOVED;
  return [
    `◐ Session automatically reset (${reasonText(route.autoResetReason, settings)}).`,
    "The conversation starts fresh; `/resume` brings the earlier one back.",
    "When this happens is set by `session_reset` in config.yaml.",
  ].join("\n");
}

const MOVED =
  "◐ The earlier conversation goes on in another chat, so a fresh one begins here; `/resume` brings it back.";

function reasonText(reason: string | null, settings: { atHour: number; idleMinutes: number }): string {
  if (reason === "daily") return `daily schedule at ${settings.atHour}:00`;
  if (reason === "idle") return `inactive for ${duration(settings.idleMinutes)}`;
  return "the previous session was stopped or interrupted";
}

function duration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `${rest}m`;
  return rest === 0 ? `${hours}h` : `${hours}h ${rest}m`;
}
