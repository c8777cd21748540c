import fs from "node:fs";
import { dirname } from "node:path";
import type { Database as Connection } from "better-sqlite3";
import { HermesError } from "../../errors.js";
import { Database, requireSafeDriver } from "./driver.js";
import { CHECK_ACCESS } from "./faults.js";

/** Below this, a checkpoint that races with a reset of the WAL can corrupt the file. */
const SQLITE_MINIMUM = [3, 51, 3] as const;
/** Readers wait only while a file is being recovered, vacuumed whole, or closed by its last user. */
const READER_PATIENCE_MS = 10_000;

/**
 * A connection with Hermes' settings: WAL, foreign keys, every commit synced. The caller handles locks. Only
 * SQLite may open the file: closing any other handle would drop the POSIX locks of this process's
 * connections, and another process could delete the WAL while they use it.
 */
export function connect(path: string, options: { readonly: boolean }): Connection {
  requireSafeDriver();
  requireAccess(path);
  if (!options.readonly) createPrivately(path);
  let db: Connection | undefined;
  try {
    db = new Database(path, {
      readonly: options.readonly,
      timeout: options.readonly ? READER_PATIENCE_MS : 0,
    });
    requireSafeSqlite(db);
    if (!options.readonly) requireAllPages(db, path);
    db.pragma("foreign_keys = ON");
    db.pragma("synchronous = FULL");
    db.pragma("cache_size = -16000");
    db.pragma("temp_store = MEMORY");
    // Overwrites deleted data on pages that are written anyway.
    db.pragma("secure_delete = FAST");
    return db;
  } catch (error) {
    db?.close();
    throw error;
  }
}

/** Replaces SQLite's error with a clear one. Uses stat only, without opening the file. */
function requireAccess(path: string): void {
  try {
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw Object.assign(new Error(), { code: "EISDIR" });
    fs.accessSync(path, fs.constants.R_OK | fs.constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw unopened(path, error as NodeJS.ErrnoException);
  }
}

/** Creates the file and its folder private to their owner; SQLite gives -wal and -shm the same mode. */
function createPrivately(path: string): void {
  try {
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fs.closeSync(fs.openSync(path, "wx", 0o600));
  } catch (error) {
    const there = (error as NodeJS.ErrnoException).code === "EEXIST" && fs.existsSync(path);
    if (!there) throw unopened(path, error as NodeJS.ErrnoException);
  }
}

/** SQLite accepts a partial last page. Without a WAL that might hold the rest, such a file is truncated. */
export function requireAllPages(db: Connection, path: string): void {
  const pages = (name: string) => db.pragma(name, { simple: true }) as number;
  const wanted = pages("page_count") * pages("page_size");
  if (fileSize(path) < wanted && fileSize(`${path}-wal`) === 0) throw cutOff(path, wanted);
}

/**
 * For a file that SQLite reports as damaged: compares its size with the page count in the header to detect
 * truncation. Call only when no connection is open: see `connect`.
 */
export function explainDamage(path: string): HermesError | undefined {
  const header = Buffer.alloc(100);
  const file = fs.openSync(path, "r");
  try {
    fs.readSync(file, header, 0, header.length, 0);
  } finally {
    fs.closeSync(file);
  }
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const wanted = header.readUInt32BE(28) * pageSize;
  return fileSize(path) < wanted ? cutOff(path, wanted) : undefined;
}

function fileSize(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function cutOff(path: string, wanted: number): HermesError {
  const message = `${path} is truncated: it has ${fileSize(path)} of ${wanted} bytes.`;
  return new HermesError("unavailable", message, { hint: "Restore a backup. The file was not changed." });
}

function unopened(path: string, error: NodeJS.ErrnoException): HermesError {
  const why: Record<string, string> = {
    EACCES: "permission denied",
    EPERM: "permission denied",
    EROFS: "the disk is read-only",
    EISDIR: "it is a folder",
    ENOTDIR: "a part of its path is not a folder",
    ENOENT: "its folder doesn't exist",
    ENOSPC: "the disk is full",
  };
  const reason = why[error.code ?? ""] ?? error.message;
  return new HermesError("unavailable", `${path} can't be opened: ${reason}.`, {
    hint: CHECK_ACCESS,
    cause: error,
  });
}

function requireSafeSqlite(db: Connection): void {
  const version = db.prepare("SELECT sqlite_version()").pluck().get() as string;
  if (isSafeSqlite(version)) return;
  throw new HermesError(
    "unavailable",
    `SQLite ${version} can corrupt shared files; ${SQLITE_MINIMUM.join(".")} is needed.`,
    {
      hint: "Run `npm ci` again, so that better-sqlite3 is built with its own SQLite.",
    },
  );
}

export function isSafeSqlite(version: string): boolean {
  const parts = version.split(".").map(Number);
  const differs = SQLITE_MINIMUM.findIndex((minimum, i) => (parts[i] ?? 0) !== minimum);
  return differs === -1 || (parts[differs] ?? 0) > SQLITE_MINIMUM[differs]!;
}

/** The SQLite version, checked to be safe. Throws if better-sqlite3 can't be loaded. */
export function sqliteVersion(): string {
  requireSafeDriver();
  const db = new Database(":memory:");
  try {
    requireSafeSqlite(db);
    return db.prepare("SELECT sqlite_version()").pluck().get() as string;
  } finally {
    db.close();
  }
}
