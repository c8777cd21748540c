/** A lock for short work: the process that creates the file holds it. */
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { link, rename, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { onEarlyExit } from "../early-exit.js";
import { HermesError } from "../errors.js";
import { explained } from "../whole-file.js";

const RETRY_MS = 20;

export interface LockTimes {
  /** A lock older than this was left by a killed process. Much longer than the work takes. */
  abandonedMs: number;
  /** How long to wait for others. */
  waitMs: number;
}

const TIMES: LockTimes = { abandonedMs: 10_000, waitMs: 20_000 };

export async function withLockFile<T>(file: string, work: () => Promise<T>, times = TIMES): Promise<T> {
  const mark = randomBytes(8).toString("hex");
  await take(file, mark, times);
  const release = () => {
    if (isOurs(file, mark)) rmSync(file, { force: true });
  };
  const cancel = onEarlyExit(release);
  try {
    return await work();
  } finally {
    release();
    cancel();
  }
}

async function take(file: string, mark: string, { abandonedMs, waitMs }: LockTimes): Promise<void> {
  const startedAt = performance.now();
  while (!(await created(file, mark))) {
    await removeAbandoned(file, abandonedMs);
    if (performance.now() - startedAt > waitMs)
      throw new HermesError("conflict", `Another process has held ${file} for too long.`, {
        hint: "Wait until it is done, and try again.",
      });
    await sleep(RETRY_MS);
  }
}

async function created(file: string, mark: string): Promise<boolean> {
  try {
    await writeFile(file, mark, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw explained(error, file);
  }
}

/** Renames it first: only one of several processes succeeds, and a lock taken in the meantime is put back. */
async function removeAbandoned(file: string, abandonedMs: number): Promise<void> {
  try {
    const { mtimeMs, ino } = await stat(file);
    // A time in the future is from before the clock was set back.
    if (Math.abs(Date.now() - mtimeMs) < abandonedMs) return;
    const aside = `${file}.${randomBytes(4).toString("hex")}.partial`;
    await rename(file, aside);
    if ((await stat(aside)).ino !== ino) await link(aside, file);
    await rm(aside, { force: true });
  } catch (error) {
    // Another process was faster.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "EEXIST") throw explained(error, file);
  }
}

function isOurs(file: string, mark: string): boolean {
  try {
    return readFileSync(file, "utf8") === mark;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw explained(error, file);
  }
}
