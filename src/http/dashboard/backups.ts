/** Lists, creates, downloads and deletes backups of the home. */
import { createReadStream, existsSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import type { Hono } from "hono";
import { z } from "zod";
import type { BackupOptions, BackupProgress } from "../../backup/create.js";
import { backupName, isBackupName } from "../../backup/rotate.js";
import { fileStamp, nowSeconds } from "../../clock.js";
import { describeError, HermesError } from "../../errors.js";
import { ifMissing } from "../../missing.js";
import { explained } from "../../whole-file.js";
import { bodyOf } from "../params.js";
import type { BackupsAnswer, BackupsState } from "./backups-types.js";
import { gone, operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";

const MAX_LISTED = 1000;
const NAME = z.string().max(100).refine(isBackupName, "is not the name of a backup");

export type BackupParts = Omit<BackupOptions, "target" | "now" | "onProgress"> & { folder: string };

/** Creates one backup at a time, and reports its progress. */
export class BackupJob {
  readonly #parts: BackupParts;
  readonly #log: DashboardOptions["log"];
  #state: BackupsState = { running: null, last: null };
  #done: Promise<void> = Promise.resolve();

  constructor({ backups, log }: Pick<DashboardOptions, "backups" | "log">) {
    this.#parts = backups;
    this.#log = log;
  }

  get state(): BackupsState {
    return this.#state;
  }

  /** Starts a backup in the background, and returns its name. */
  start(): string {
    if (this.#state.running)
      throw new HermesError("conflict", "A backup is already running.", {
        hint: "Wait until it is done.",
      });
    const name = freeNameIn(this.#parts.folder);
    const startedAt = nowSeconds();
    const onProgress = (progress: BackupProgress) => {
      this.#state = { ...this.#state, running: { name, startedAt, ...progress } };
    };
    onProgress({ step: "database", bytes: 0, ofBytes: 0 });
    this.#done = this.#make(name, onProgress).then((error) => {
      this.#state = { running: null, last: { name, at: nowSeconds(), error } };
    });
    return name;
  }

  async close(): Promise<void> {
    await this.#done;
  }

  /** Returns the error's text, or null. */
  async #make(name: string, onProgress: (progress: BackupProgress) => void): Promise<string | null> {
    const { folder, ...parts } = this.#parts;
    try {
      const { createBackup } = await import("../../backup/create.js");
      await createBackup({ ...parts, target: path.join(folder, name), now: nowSeconds(), onProgress });
      return null;
    } catch (error) {
      const { message, hint } = describeError(error);
      this.#log.warn({ name, err: error }, "the backup failed");
      return hint ? `${message} ${hint}` : message;
    }
  }
}

/** A scheduled backup may already have a name with the same second. */
function freeNameIn(folder: string): string {
  const stamp = fileStamp();
  for (let number = 1; ; number++) {
    const name = backupName(number === 1 ? stamp : `${stamp}-${number}`);
    if (!existsSync(path.join(folder, name))) return name;
  }
}

export function backupRoutes(api: Hono, options: DashboardOptions, job: BackupJob): void {
  const { folder } = options.backups;
  const note = operatorLog(options);

  api.get("/backups", async (c) => c.json(await answerOf(options, job)));

  api.post("/backups/create", async (c) => {
    await bodyOf(c, {});
    const name = job.start();
    await note(c, "backup", { name });
    return c.json({ name });
  });

  api.post("/backups/delete", async (c) => {
    const { name } = await bodyOf(c, { name: NAME });
    await fs.rm(path.join(folder, name)).catch(missing(name));
    await note(c, "delete-backup", { name });
    return c.json({ deleted: name });
  });

  api.get("/backups/:name", async (c) => {
    const name = NAME.safeParse(c.req.param("name")).data;
    if (name === undefined) throw gone("There is no such backup.");
    const file = path.join(folder, name);
    const { size } = await fs.stat(file).catch(missing(name));
    await note(c, "download-backup", { name });
    return c.body(Readable.toWeb(createReadStream(file)) as ReadableStream, 200, {
      "Content-Type": "application/gzip",
      "Content-Length": String(size),
      "Content-Disposition": `attachment; filename="${name}"`,
    });
  });
}

function missing(name: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw error.code === "ENOENT" ? gone(`There is no backup ${name} (any more).`) : error;
  };
}

async function answerOf(
  { backups: { folder }, loaded }: DashboardOptions,
  job: BackupJob,
): Promise<BackupsAnswer> {
  const { every_hours: everyHours, keep } = loaded.config.backup;
  const found = await fs
    .readdir(folder)
    .catch(ifMissing<string[]>([]))
    .catch((error: unknown) => {
      throw explained(error, folder);
    });
  const names = found.filter(isBackupName).sort().reverse();
  const files = await Promise.all(names.slice(0, MAX_LISTED).map((name) => describe(folder, name)));
  const backups = files.filter((file) => file !== undefined);
  const newest = backups[0]?.at;
  const nextAt = everyHours > 0 ? (newest === undefined ? nowSeconds() : newest + everyHours * 3600) : null;
  return { folder, backups, schedule: { everyHours, keep, nextAt }, ...job.state };
}

async function describe(folder: string, name: string) {
  const stat = await fs.stat(path.join(folder, name)).catch(ifMissing(undefined));
  return stat?.isFile() ? { name, bytes: stat.size, at: stat.mtimeMs / 1000 } : undefined;
}
