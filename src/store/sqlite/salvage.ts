import type { Database } from "better-sqlite3";
import { HermesError } from "../../errors.js";
import { dropTriggers, FULL_TEXT_TABLES } from "./fulltext.js";
import { vacuum } from "./optimize.js";
import { marks } from "./statements.js";
import { exclusive } from "./verb.js";

/** Pages that SQLite can't read, or that aren't used. */
const DAMAGE = /\b(?:Tree|Page|page) \d+|damaged/;

export const isDamage = (problem: string) => DAMAGE.test(problem);

/**
 * Repairs a file whose unreadable pages only affect the full text: drops the full text for a rebuild and
 * rewrites the rest. False, without changes, if another process has the file open.
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
    hint: "Restore a backup. The file was not changed.",
  });
}

/** Removes it from the schema without touching its pages, which stay unused until the following vacuum. */
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
