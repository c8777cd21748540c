import type { Database } from "better-sqlite3";
import { lineageBase, nextTitleThatFits } from "../../title.js";
import type { OnProgress } from "../store.js";
import { createFullText, dropFullText, hasCjk, indexedText } from "./fulltext.js";
import { idRanges } from "./ranges.js";
import { completeSchema, SCHEMA_VERSION } from "./schema.js";

const ROWS_PER_STEP = 500;

/**
 * Migrates versions 1 to 10 to 11 inside the caller's transaction: adds missing columns, numbers duplicate
 * titles (possible before version 4), rebuilds the full text with tool names and calls.
 */
export function migrate(db: Database, onProgress: OnProgress): void {
  addTitleColumn(db);
  separateTitles(db);
  dropFullText(db);
  completeSchema(db);
  createFullText(db, "compact");
  indexAllMessages(db, onProgress);
  db.prepare("DELETE FROM schema_version").run();
  db.prepare("INSERT INTO schema_version (version) VALUES (?)").run(SCHEMA_VERSION);
}

function addTitleColumn(db: Database): void {
  const columns = (db.pragma("table_info(sessions)") as { name: string }[]).map((c) => c.name);
  if (!columns.includes("title")) db.exec("ALTER TABLE sessions ADD COLUMN title TEXT");
}

/** The oldest session keeps its title; the others become `… #2`, `… #3`, skipping taken numbers. */
function separateTitles(db: Database): void {
  const rows = db
    .prepare("SELECT id, title FROM sessions WHERE title IS NOT NULL ORDER BY started_at, id")
    .all() as { id: string; title: string }[];
  const taken = new Set(rows.map(({ title }) => title));
  const kept = new Set<string>();
  const rename = db.prepare("UPDATE sessions SET title = ? WHERE id = ?");
  for (const { id, title } of rows) {
    if (kept.has(title)) {
      const free = freeTitle(title, taken);
      rename.run(free, id);
      taken.add(free);
    }
    kept.add(title);
  }
}

function freeTitle(title: string, taken: ReadonlySet<string>): string {
  const base = lineageBase(title);
  const family = [...taken].filter((t) => t === base || t.startsWith(`${base} #`));
  const next = nextTitleThatFits(base, family);
  return taken.has(next) ? freeTitle(next, new Set([...taken, base])) : next;
}

function indexAllMessages(db: Database, onProgress: OnProgress): void {
  const total = db.prepare("SELECT count(*) FROM messages").pluck().get() as number;
  const range = "m.id > ? AND m.id <= ?";
  const words = db.prepare(
    `INSERT INTO messages_fts(rowid, content) SELECT m.id, ${indexedText("m")} FROM messages m WHERE ${range}`,
  );
  const trigrams = db.prepare(
    `INSERT INTO messages_fts_trigram(rowid, content)
     SELECT m.id, ${indexedText("m")} FROM messages m WHERE ${range} AND ${hasCjk("m")}`,
  );
  let done = 0;
  for (const { from, to } of idRanges(db, ROWS_PER_STEP)) {
    done += words.run(from, to).changes;
    trigrams.run(from, to);
    onProgress({ step: "Upgrading the history", done, total });
  }
}
