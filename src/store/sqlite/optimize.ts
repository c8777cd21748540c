import type { Database } from "better-sqlite3";
import type { Progress } from "../store.js";
import { WAL_PAGES } from "./checkpoints.js";
import { isBusy } from "./faults.js";
import { FULL_TEXT_TABLES, type FullTextTable, readLayout } from "./fulltext.js";
import { rebuildFullText, removeLeftovers } from "./rebuild.js";
import { readVersion, SCHEMA_VERSION } from "./schema.js";
import { Slice } from "./slice.js";
import { sql } from "./statements.js";
import { exclusive, write } from "./verb.js";

/** Converts the full text to the compact layout and merges its segments. True if the layout was converted. */
export const optimizeFullText = write(function* optimizeFullText(db: Database): Generator<Progress, boolean> {
  // Leave a newer version's tables alone.
  const convert = readLayout(db) === "inline" && readVersion(db) === SCHEMA_VERSION;
  if (convert) yield* rebuildFullText(db, "messages_fts_trigram", "compact");
  yield* mergeFullText(db);
  return convert;
});

/** Merges each table into one segment, which drops deleted text. */
export const mergeFullText = write(function* mergeFullText(db: Database): Generator<Progress, void> {
  for (const table of FULL_TEXT_TABLES) {
    yield* removeLeftovers(db, table);
    yield* mergeSegments(db, table);
  }
});

const PAGES_PER_MERGE = 64;

/** A negative number requests a merge into one segment; positive ones then do it piece by piece. */
function* mergeSegments(db: Database, table: FullTextTable): Generator<Progress, void> {
  const slice = new Slice();
  mergeStep(db, table, -PAGES_PER_MERGE);
  for (let done = 1; mergeStep(db, table); done += 1)
    yield* slice.pause({ step: "Merging the index", done, total: 0 });
}

/** Merges a few pages of the levels that have enough segments. False when there is nothing to merge. */
export function mergeStep(db: Database, table: FullTextTable, pages = PAGES_PER_MERGE): boolean {
  const changes = sql(db, "SELECT total_changes()").pluck();
  const before = changes.get() as number;
  sql(db, `INSERT INTO ${table}(${table}, rank) VALUES ('merge', ?)`).run(pages);
  // One change is the command itself.
  return (changes.get() as number) - before > 1;
}

const PAGES_PER_BATCH = 100;

/** Returns free pages to the disk, a few at a time. False if the file doesn't use incremental vacuum. */
export const shrink = write(function* shrink(db: Database): Generator<Progress, boolean> {
  if (db.pragma("auto_vacuum", { simple: true }) !== 2) return false;
  const free = () => db.pragma("freelist_count", { simple: true }) as number;
  const total = free();
  const slice = new Slice();
  for (let left = total; left > 0; left = free()) {
    db.exec(`PRAGMA incremental_vacuum(${PAGES_PER_BATCH})`);
    yield* slice.pause({ step: "Freeing disk space", done: total - left, total });
  }
  return true;
});

/**
 * A full VACUUM, only if no other process has the file open: leaving WAL mode only works for the last
 * connection. Enables incremental vacuum, so this is needed once.
 */
export const vacuum = exclusive(function vacuum(db: Database, before?: () => void): boolean {
  try {
    if (db.pragma("journal_mode = DELETE", { simple: true }) !== "delete") return false;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
  try {
    before?.();
    db.pragma("auto_vacuum = INCREMENTAL");
    db.exec("VACUUM");
    return true;
  } finally {
    db.pragma("journal_mode = WAL");
  }
});

/** Pages in the WAL, and how many of them are already in the file. */
export interface WalPages {
  log: number;
  checkpointed: number;
}

export const checkpoint = exclusive(function checkpoint(db: Database): WalPages {
  const [{ log, checkpointed }] = db.pragma("wal_checkpoint(PASSIVE)") as [WalPages];
  return { log, checkpointed };
});

/** Long enough for short reads to end; the log has to grow during a long one. */
const READERS_WAIT_MS = 50;

/**
 * Copies everything into the file, so that the next commit restarts the log. False while a reader uses it. Holds the write
 * lock, so it isn't repeated after another process did it.
 */
export const restartLog = exclusive(function restartLog(db: Database): boolean {
  const [{ log }] = db.pragma("wal_checkpoint(NOOP)") as [WalPages];
  if (log < WAL_PAGES) return true;
  db.pragma(`busy_timeout = ${READERS_WAIT_MS}`);
  try {
    const [{ busy }] = db.pragma("wal_checkpoint(RESTART)") as [{ busy: number }];
    return busy === 0;
  } finally {
    db.pragma("busy_timeout = 0");
  }
});

/** Copies everything into the file and empties the log. False while a reader uses it. */
export const emptyLog = exclusive(function emptyLog(db: Database): boolean {
  checkpoint(db);
  const [{ busy }] = db.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
  return busy === 0;
});
