/** Is it time to clean up, and how far back? Times are epoch seconds. */

export type PruneDecision =
  | { prune: true; because: "first_run" | "interval_passed" | "clock_moved_back" }
  | { prune: false; reason: "disabled" }
  | { prune: false; reason: "too_soon"; dueAt: number };

export function shouldAutoPrune(question: {
  enabled: boolean;
  /** `state_meta.last_auto_prune`; undefined when it never ran. */
  lastRun: number | undefined;
  now: number;
  minIntervalHours: number;
}): PruneDecision {
  const { enabled, lastRun, now, minIntervalHours } = question;
  if (!enabled) return { prune: false, reason: "disabled" };
  if (lastRun === undefined) return { prune: true, because: "first_run" };
  // A run "in the future" was stamped by a wrong clock; waiting for it could take years.
  if (lastRun > now) return { prune: true, because: "clock_moved_back" };
  const dueAt = lastRun + minIntervalHours * 3600;
  return now >= dueAt
    ? { prune: true, because: "interval_passed" }
    : { prune: false, reason: "too_soon", dueAt };
}

/** Ended sessions that started before this instant may go. Nothing when the setting would mean "everything". */
export function retentionCutoff(now: number, retentionDays: number): number | undefined {
  return retentionDays > 0 ? now - retentionDays * 86_400 : undefined;
}
