import fs from "node:fs/promises";
import path from "node:path";
import { fileStamp, nowSeconds } from "../clock.js";
import type { Log } from "../log.js";
import { ifMissing } from "../missing.js";
import type { BackupOptions } from "./create.js";
import { backupName, isBackupName, isDue, outdated } from "./rotate.js";

const LOOK_EVERY_MS = 10 * 60_000;

export interface ScheduleOptions extends Omit<BackupOptions, "target" | "now" | "onProgress"> {
  folder: string;
  everyHours: number;
  keep: number;
  log: Log;
}

/** Scheduled backups. The existing files show when the next one is due, so a restart repeats none. */
export class BackupSchedule {
  readonly #options: ScheduleOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.everyHours <= 0) return;
    const look = () => {
      this.#running = this.#running.then(() => this.#look());
    };
    look();
    this.#timer = setInterval(look, LOOK_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #look(): Promise<void> {
    const { folder, everyHours, keep, log } = this.#options;
    try {
      const names = await fs.readdir(folder).catch(ifMissing<string[]>([]));
      if (!isDue(await newest(folder, names), everyHours, nowSeconds())) return;
      const target = path.join(folder, backupName(fileStamp()));
      // Loaded when it is needed: most homes have no schedule.
      const { createBackup } = await import("./create.js");
      const { bytes } = await createBackup({ ...this.#options, target, now: nowSeconds() });
      log.info({ file: target, bytes }, "backup made");
      for (const name of outdated(await fs.readdir(folder), keep)) await fs.rm(path.join(folder, name));
    } catch (error) {
      log.error({ err: error }, "the backup failed; it is tried again in ten minutes");
    }
  }
}

async function newest(folder: string, names: readonly string[]): Promise<number | undefined> {
  const last = names.filter(isBackupName).sort().at(-1);
  return last === undefined ? undefined : (await fs.stat(path.join(folder, last))).mtimeMs / 1000;
}
