import type { Database } from "better-sqlite3";
import type { Progress } from "../store.js";
import {
  createTable,
  createTriggers,
  dropTriggers,
  type FullTextTable,
  hasCjk,
  indexedText,
  type Layout,
} from "./fulltext.js";
import { idRanges } from "./ranges.js";
import { Slice } from "./slice.js";

/**
 * Rebuilds a full-text table while others read and write: fills a second table in slices, keeps it current
 * with triggers, then swaps the two in one short transaction. If killed, it starts over.
 */
export function* rebuildFullText(
  db: Database,
  table: FullTextTable,
  layout: Layout,
): Generator<Progress, void> {
  const { next, old } = names(table);
  const slice = new Slice();
  yield* removeLeftovers(db, table, slice);
  createTable(db, next, table);
  createTriggers(db, next, next, layout);
  yield* fill(db, next, layout, slice);
  changePlaces(db, { table, next, old, layout });
  yield { step: "Removing the old index", done: 0, total: 1 };
  yield* removeTable(db, old, slice);
}

const names = (table: FullTextTable) => ({ next: `gw_new_${table}`, old: `gw_old_${table}` });

/** Leftovers of a killed rebuild. */
export function* removeLeftovers(
  db: Database,
  table: FullTextTable,
  slice = new Slice(),
): Generator<Progress, void> {
  for (const name of Object.values(names(table))) yield* removeTable(db, name, slice);
}

const IDS_PER_BATCH = 50;

function* fill(db: Database, table: string, layout: Layout, slice: Slice): Generator<Progress, void> {
  const wanted = layout === "compact" ? `AND ${hasCjk("m")}` : "";
  // The triggers have already added newer messages.
  const insert = db.prepare(
    `INSERT INTO ${table}(rowid, content) SELECT m.id, ${indexedText("m")} FROM messages m
     WHERE m.id > ? AND m.id <= ? ${wanted} AND NOT EXISTS (SELECT 1 FROM ${table}_content c WHERE c.id = m.id)`,
  );
  for (const { from, to, last } of idRanges(db, IDS_PER_BATCH)) {
    insert.run(from, to);
    yield* slice.pause({ step: "Indexing", done: to, total: last });
  }
}

function changePlaces(
  db: Database,
  { table, next, old, layout }: { table: FullTextTable; next: string; old: string; layout: Layout },
): void {
  dropTriggers(db, table);
  dropTriggers(db, next);
  if (exists(db, table)) db.exec(`ALTER TABLE ${table} RENAME TO ${old}`);
  db.exec(`ALTER TABLE ${next} RENAME TO ${table}`);
  createTriggers(db, table, table, layout);
}

function exists(db: Database, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) !== undefined;
}

/** Dropping a large table frees all its pages under one lock: empty it first. */
function* removeTable(db: Database, name: string, slice: Slice): Generator<Progress, void> {
  dropTriggers(db, name);
  if (!exists(db, name)) return;
  const progress = { step: "Removing the old index", done: 0, total: 1 };
  for (const [shadow, key] of [
    ["content", "id"],
    ["docsize", "id"],
    ["data", "id"],
    ["idx", "segid, term"],
  ] as const) {
    const from = `${name}_${shadow}`;
    while (emptySome(db, from, key)) yield* slice.pause(progress);
  }
  db.exec(`DROP TABLE ${name}`);
}

/** SQLite protects a full-text table's shadow tables, but this one is being dropped. */
function emptySome(db: Database, table: string, key: string): boolean {
  db.unsafeMode(true);
  try {
    const some = db.prepare(`DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} LIMIT 100)`);
    return some.run().changes > 0;
  } finally {
    db.unsafeMode(false);
  }
}
