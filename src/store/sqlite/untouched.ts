import fs from "node:fs";
import { dirname, join } from "node:path";
import type { Database as Connection } from "better-sqlite3";
import { explainDamage, requireAllPages } from "./connect.js";
import { Database } from "./driver.js";
import { explainFault, isCorrupt } from "./faults.js";
import { lockHolders } from "./lock-holders.js";

/** The other processes that have the file open, by SQLite's locks. */
export async function usersOf(path: string): Promise<number[]> {
  const pids = await Promise.all([path, `${path}-shm`].map((file) => lockHolders(file, "POSIX")));
  return [...new Set(pids.flat())].sort((a, b) => a - b);
}

/**
 * Reads a database without changing it or creating files next to it. Even a reader creates a WAL, so this
 * reads through a link in a temporary folder, with a copy of a WAL left by a crash. If other processes have
 * the file open, it shares their WAL.
 */
export async function lookUntouched<T>(path: string, look: (db: Connection) => T): Promise<T> {
  const file = fs.realpathSync(path);
  if ((await usersOf(file)).length > 0) return readWith(file, look);
  const folder = fs.mkdtempSync(join(dirname(file), ".look-"));
  try {
    const link = join(folder, "state.db");
    linkOrCopy(file, link);
    for (const suffix of ["-wal", "-journal"])
      if (fs.existsSync(file + suffix)) fs.copyFileSync(file + suffix, link + suffix);
    return readWith(link, look, file);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Not every file system has links. */
function linkOrCopy(file: string, link: string): void {
  try {
    fs.linkSync(file, link);
  } catch {
    fs.copyFileSync(file, link, fs.constants.COPYFILE_FICLONE);
  }
}

const PATIENCE_MS = 10_000;

function readWith<T>(path: string, look: (db: Connection) => T, named = path): T {
  let db: Connection | undefined;
  try {
    db = new Database(path, { readonly: true, timeout: PATIENCE_MS });
    requireAllPages(db, named);
    return look(db);
  } catch (error) {
    db?.close();
    throw (isCorrupt(error) && explainDamage(named)) || explainFault(error, named);
  } finally {
    db?.close();
  }
}
