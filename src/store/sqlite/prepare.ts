import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Database } from "better-sqlite3";
import { fileStamp } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { OnProgress } from "../store.js";
import { MAX_WAL_BYTES } from "./checkpoints.js";
import { connect } from "./connect.js";
import { explainFault } from "./faults.js";
import { readLayout } from "./fulltext.js";
import { LAYOUT_VERSION, readLayoutVersion, requireLayout, saveLayoutVersion } from "./layout-version.js";
import { migrate } from "./migrate.js";
import { migrateLayout } from "./migrate-layout.js";
import { completeSchema, createSchema, isComplete, readVersion, SCHEMA_VERSION } from "./schema.js";
import { apart } from "./verb.js";

export interface Preparing {
  path: string;
  /** This process has the lock, so no gateway of an earlier version is running. */
  mayMigrate: boolean;
  onProgress: OnProgress;
}

/**
 * Makes a file usable: creates the schema in new files, migrates older ones (after keeping a copy), and adds
 * what current and newer ones lack. Throws SQLITE_BUSY without changes if another process holds the lock;
 * the caller retries.
 */
export function prepare(db: Database, preparing: Preparing): void {
  const { path, mayMigrate } = preparing;
  const kind = kindOf(db, path);
  const layout = kind === "new" ? undefined : readLayoutVersion(db);
  requireLayout(path, layout, mayMigrate);
  if (kind === "new") db.pragma("auto_vacuum = INCREMENTAL");
  if (db.pragma("journal_mode", { simple: true }) !== "wal") db.pragma("journal_mode = WAL");
  // From here on we checkpoint ourselves, outside commits.
  db.pragma("wal_autocheckpoint = 0");
  db.pragma(`journal_size_limit = ${MAX_WAL_BYTES}`);
  const isCurrent = kind === "current" && layout === LAYOUT_VERSION;
  if (isCurrent && isComplete(db) && readLayout(db) !== "none") return;
  db.exec("BEGIN IMMEDIATE");
  try {
    change(db, preparing);
    db.exec("COMMIT");
  } catch (error) {
    if (db.inTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** Checks again under the write lock: another process may have done the work in the meantime. */
function change(db: Database, { path, mayMigrate, onProgress }: Preparing): void {
  const kind = kindOf(db, path);
  const layout = kind === "new" ? undefined : readLayoutVersion(db);
  requireLayout(path, layout, mayMigrate);
  if (kind === "older") keepCopy(path, `v${readVersion(db)}`, onProgress);
  else if (layout !== undefined && layout < LAYOUT_VERSION) keepCopy(path, `layout${layout}`, onProgress);
  if (layout !== undefined && layout < LAYOUT_VERSION) migrateLayout(db, onProgress);
  if (kind === "new") createSchema(db);
  if (kind === "older") migrate(db, onProgress);
  if (layout === undefined) saveLayoutVersion(db);
  if (kind !== "current") return;
  completeSchema(db);
  // A process without FTS5 dropped the full text. Leave a newer version's alone.
  if (readLayout(db) === "none" && readVersion(db) === SCHEMA_VERSION) migrate(db, onProgress);
}

export type FileKind = "new" | "older" | "current";

export function kindOf(db: Database, path: string): FileKind {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  if (tables.length === 0) return "new";
  const version = readVersion(db);
  if (version === undefined || !tables.includes("sessions") || !tables.includes("messages")) {
    throw new HermesError("unavailable", `${path} is a database of another program.`, {
      hint: "Set HERMES_HOME to another folder. The file was not changed.",
    });
  }
  return version < SCHEMA_VERSION ? "older" : "current";
}

/** Runs under the write lock, so that only one process makes the copy; a second connection still sees the old state. */
function keepCopy(path: string, version: string, onProgress: OnProgress): void {
  onProgress({ step: "Keeping a copy", done: 0, total: 1 });
  const name = `${path}.${version}-`;
  removePartial(name);
  const source = connect(path, { readonly: true });
  try {
    copyDatabase(source, name + fileStamp());
  } finally {
    source.close();
  }
}

/** Leftovers of a killed copy. */
function removePartial(start: string): void {
  const folder = dirname(start);
  for (const name of fs.readdirSync(folder)) {
    if (name.startsWith(basename(start)) && name.includes(PARTIAL))
      fs.rmSync(join(folder, name), { force: true });
  }
}

const PARTIAL = ".partial";

/**
 * Makes a consistent, compact, private copy while others write. It gets its final name when complete.
 */
export const copyDatabase = apart(function copyDatabase(db: Database, target: string): void {
  const partial = target + PARTIAL;
  fs.rmSync(partial, { force: true });
  fs.closeSync(fs.openSync(partial, "wx", 0o600));
  try {
    db.prepare("VACUUM INTO ?").run(partial);
    syncToDisk(partial);
    fs.renameSync(partial, target);
  } catch (error) {
    fs.rmSync(partial, { force: true });
    throw explainFault(error, target);
  }
});

/** Copies page by page without parsing, so it works for damaged files too. */
export const copyPages = apart(async function copyPages(db: Database, target: string): Promise<void> {
  fs.closeSync(fs.openSync(target, "wx", 0o600));
  await db.backup(target, { progress: () => PAGES_PER_BATCH });
});

const PAGES_PER_BATCH = 10_000;

function syncToDisk(path: string): void {
  const file = fs.openSync(path, "r+");
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}
