import type { Store } from "../store/store.js";

export interface AutoPruneSettings {
  enabled: boolean;
  retentionDays: number;
  minIntervalHours: number;
  vacuumAfterPrune: boolean;
}

export interface AutoPruned {
  pruned: number;
  /** The freed space was returned to the disk. */
  vacuumed: boolean;
}

/** Prunes at most once per interval over all processes. Undefined if it isn't due. */
export async function autoPrune(
  store: Pick<Store, "pruneSessions" | "maintenance">,
  settings: AutoPruneSettings,
): Promise<AutoPruned | undefined> {
  const { enabled, retentionDays, minIntervalHours, vacuumAfterPrune } = settings;
  if (!enabled) return undefined;
  const done = await store.pruneSessions({ olderThanDays: retentionDays, everyHours: minIntervalHours });
  if (!done.isDue) return undefined;
  const vacuumed = done.sessions > 0 && vacuumAfterPrune && (await store.maintenance.shrink());
  return { pruned: done.sessions, vacuumed };
}
