import type { Database } from "better-sqlite3";
import { HermesError } from "../../errors.js";
import { dropTriggers, FULL_TEXT_TABLES } from "./fulltext.js";
import { vacuum } from "./optimize.js";
import { marks } from "./statements.js";
import { exclusive } from "./verb.js";

/** Pages that SQLite can't read, or that belong to nothing. */
const DAMAGE = /\b(?:Tree|Page|page) \d+|damaged/;

export const isDamage = (problem: string) => DAMAGE.test(problem);

/**
 * A file with pages that can't be read, where only full text is hit: full text is forgotten, for a rebuild, and all else
 * is rewritten. False when another process has the file open; nothing was changed then.
 */
export const salvage = exclusive(function salvage(db: Database): boolean {
  requireSound(db);
  return vacuum(db, () => forgetFullText(db));
});

function requireSound(db: Database): void {
  const tables = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%messages_fts%'")
    .pluck()
    .all() as string[];
  const broken = tables.filter((name) => db.pragma(`quick_check("${name}")`, { simple: true }) !== "ok");
  if (broken.length === 0) return;
  throw new HermesError("unavailable", `Pages of ${broken.join(", ")} can't be read.`, {
    hint: "Restore a backup; the file was left as it is.",
  });
}

/** Out of the schema, without touching its pages: until the vacuum that follows they belong to nothing. */
function forgetFullText(db: Database): void {
  for (const table of FULL_TEXT_TABLES) dropTriggers(db, table);
  const names = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%messages_fts%'")
    .pluck()
    .all() as string[];
  db.unsafeMode(true);
  try {
    db.pragma("writable_schema = ON");
    db.prepare(`DELETE FROM sqlite_master WHERE tbl_name IN (${marks(names)})`).run(...names);
    db.pragma("writable_schema = RESET");
  } finally {
    db.unsafeMode(false);
  }
}
