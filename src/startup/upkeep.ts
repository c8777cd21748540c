import { resolve } from "node:path";
import { keyProblems } from "../agents/key-check.js";
import { BackupSchedule } from "../backup/schedule.js";
import { isSecretPath } from "../config/mask.js";
import { homePaths } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import type { Log } from "../log.js";
import { accessProblems } from "../rules.js";
import type { Store } from "../store/store.js";
import { autoPrune } from "../upkeep/auto-prune.js";
import { version } from "../version.js";
import type { Shutdown } from "./shutdown.js";

export interface UpkeepOptions {
  home: string;
  config: Config;
  log: Log;
  store: Store;
}

/** Pruning, an API key check and backups, in the background. */
export function startUpkeep(options: UpkeepOptions, shutdown: Shutdown): void {
  const { config, log, store } = options;
  void prune(store, config, log);
  const ended = new AbortController();
  shutdown.add("timers", () => ended.abort());
  void warnAboutKeys(config, log, ended.signal);
  for (const { level, text, fix } of accessProblems(config)) log[level](`${text} ${fix}`);
  const backups = backupSchedule(options);
  backups.start();
  shutdown.add("timers", () => backups.stop());
}

async function prune(store: Store, config: Config, log: Log): Promise<void> {
  const { auto_prune, retention_days, min_interval_hours, vacuum_after_prune } = config.sessions;
  try {
    const done = await autoPrune(store, {
      enabled: auto_prune,
      retentionDays: retention_days,
      minIntervalHours: min_interval_hours,
      vacuumAfterPrune: vacuum_after_prune,
    });
    if (done) log.info(done, "old sessions pruned");
  } catch (error) {
    log.warn({ err: error }, "pruning failed");
  }
}

async function warnAboutKeys(config: Config, log: Log, signal: AbortSignal): Promise<void> {
  for (const problem of await keyProblems(config, signal)) log.warn(problem);
}

function backupSchedule(options: UpkeepOptions): BackupSchedule {
  const { every_hours: everyHours, keep } = options.config.backup;
  return new BackupSchedule({ ...backupParts(options), everyHours, keep, log: options.log });
}

/** Options for backups of this home. */
export function backupParts({ home, store, config }: Pick<UpkeepOptions, "home" | "store" | "config">) {
  const { folder } = config.backup;
  return {
    ...{ home, store: store.maintenance, isSecretPath, version: version() },
    folder: folder === null ? homePaths(home).backupsDir : resolve(home, folder),
  };
}
