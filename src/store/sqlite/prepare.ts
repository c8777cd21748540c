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
  /** No gateway of an earlier version can be running: this process has the lock. */
  mayMigrate: boolean;
  onProgress: OnProgress;
}

/**
 * A connection → a file that this program can use: new files get the schema, older ones are migrated (a copy is kept first), current
 * and newer ones only get what they lack. Throws SQLITE_BUSY when another process holds the lock: then nothing was changed, and the
 * caller tries again.
 */
export function prepare(db: Database, preparing: Preparing): void {
  const { path, mayMigrate } = preparing;
  const kind = kindOf(db, path);
  const layout = kind === "new" ? undefined : readLayoutVersion(db);
  requireLayout(path, layout, mayMigrate);
  if (kind === "new") db.pragma("auto_vacuum = INCREMENTAL");
  if (db.pragma("journal_mode", { simple: true }) !== "wal") db.pragma("journal_mode = WAL");
  // From here on we checkpoint ourselves, outside of commits.
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

/** Looks again under the write lock: another process may have done the work meanwhile. */
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
  // A file whose full text was dropped by a process without FTS5. A newer version's is not ours to touch.
  if (readLayout(db) === "none" && readVersion(db) === SCHEMA_VERSION) migrate(db, onProgress);
}

export type FileKind = "new" | "older" | "current";

export function kindOf(db: Database, path: string): FileKind {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  if (tables.length === 0) return "new";
  const version = readVersion(db);
  if (version === undefined || !tables.includes("sessions") || !tables.includes("messages")) {
    throw new HermesError("unavailable", `${path} is a database of another program.`, {
      hint: "Point HERMES_HOME at another folder; the file was left as it is.",
    });
  }
  return version < SCHEMA_VERSION ? "older" : "current";
}

/** Under the write lock, so that one process makes it; a connection beside it still sees the file as it was. */
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
 * A consistent, compact copy, readable by its owner alone, while others write. It gets its final name when it is
 * complete.
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

/** Page by page, without looking into them: also for a damaged file. */
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
