import type { RouteRow } from "../store/queues.js";

/** The reason of a session that an operator ended. */
export const ENDED = "ended";

/** The notice that a chat's session was reset. */
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
    "This is a new conversation; `/resume` returns to the previous one.",
    "Change the schedule with `session_reset` in config.yaml.",
  ].join("\n");
}

const MOVED =
  "◐ The previous conversation continues in another chat, so a new one starts here; `/resume` returns to it.";

function reasonText(reason: string | null, settings: { atHour: number; idleMinutes: number }): string {
  if (reason === "daily") return `daily schedule at ${settings.atHour}:00`;
  if (reason === "idle") return `inactive for ${duration(settings.idleMinutes)}`;
  if (reason === ENDED) return "ended by the operator";
  return "the previous session was stopped or interrupted";
}

function duration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `${rest}m`;
  return rest === 0 ? `${hours}h` : `${hours}h ${rest}m`;
}
