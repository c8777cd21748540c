import type { Database } from "better-sqlite3";
import type { Progress } from "../store.js";
import { isBusy } from "./faults.js";
import { FULL_TEXT_TABLES, type FullTextTable, readLayout } from "./fulltext.js";
import { rebuildFullText, removeLeftovers } from "./rebuild.js";
import { readVersion, SCHEMA_VERSION } from "./schema.js";
import { Slice } from "./slice.js";

/** Full text in the compact layout, merged into large segments. True when the layout was converted. */
export function* optimizeFullText(db: Database): Generator<Progress, boolean> {
  // A newer version's tables are its own business.
  const convert = readLayout(db) === "inline" && readVersion(db) === SCHEMA_VERSION;
  if (convert) yield* rebuildFullText(db, "messages_fts_trigram", "compact");
  for (const table of FULL_TEXT_TABLES) {
    yield* removeLeftovers(db, table);
    yield* mergeSegments(db, table);
  }
  return convert;
}

const PAGES_PER_MERGE = 64;

/** A negative number first asks for everything to become one segment; then it is done piece by piece. */
function* mergeSegments(db: Database, table: FullTextTable): Generator<Progress, void> {
  const merge = db.prepare(`INSERT INTO ${table}(${table}, rank) VALUES ('merge', ?)`);
  const changes = db.prepare("SELECT total_changes()").pluck();
  const slice = new Slice();
  let pages = -PAGES_PER_MERGE;
  for (let before = changes.get() as number, done = 0; ; done += 1) {
    merge.run(pages);
    const after = changes.get() as number;
    // One change is the command itself.
    if (pages > 0 && after - before < 2) return;
    before = after;
    pages = PAGES_PER_MERGE;
    yield* slice.pause({ step: "Merging the index", done, total: 0 });
  }
}

const PAGES_AT_ONCE = 100;

/** Free pages back to the disk, a few at a time. False when the file was made without incremental vacuum. */
export function* shrink(db: Database): Generator<Progress, boolean> {
  if (db.pragma("auto_vacuum", { simple: true }) !== 2) return false;
  const free = () => db.pragma("freelist_count", { simple: true }) as number;
  const total = free();
  const slice = new Slice();
  for (let left = total; left > 0; left = free()) {
    db.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`);
    yield* slice.pause({ step: "Giving space back", done: total - left, total });
  }
  return true;
}

/**
 * A full VACUUM, only when nobody else has the file open: leaving WAL mode succeeds for the last connection alone.
 * The file comes out with incremental vacuum, so that this is needed once.
 */
export function vacuum(db: Database): boolean {
  try {
    if (db.pragma("journal_mode = DELETE", { simple: true }) !== "delete") return false;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
  try {
    db.pragma("auto_vacuum = INCREMENTAL");
    db.exec("VACUUM");
    return true;
  } finally {
    db.pragma("journal_mode = WAL");
  }
}

export function checkpoint(db: Database): void {
  db.pragma("wal_checkpoint(PASSIVE)");
}
