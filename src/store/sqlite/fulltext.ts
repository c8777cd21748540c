import type { Database } from "better-sqlite3";
import { CJK_CLASS } from "../shared/cjk.js";

/**
 * The two full-text tables and their six triggers, under Hermes' names, in one of two layouts:
 * *inline* is v11's, every message in both tables; *compact* keeps the trigram table to text with CJK characters,
 * which is all that the trigram path is asked for. Half the size, twice the speed, and any process can run it.
 */
export type Layout = "compact" | "inline" | "none";

const CJK_GLOB = `'*[${CJK_CLASS}]*'`;

/**
 * Structured content begins with NUL, which SQLite versions tokenise differently (some stop there, some
 * treat it as a letter). One version couldn't remove what another indexed, so it isn't indexed.
 */
const contentOf = (row: string) => `CASE WHEN substr(CAST(${row}.content AS BLOB), 1, 1) = x'00'
      THEN CAST(substr(CAST(${row}.content AS BLOB), 2) AS TEXT) ELSE ${row}.content END`;

const withTools = (content: string, row: string) =>
  `COALESCE(${content}, '') || ' ' || COALESCE(${row}.tool_name, '') || ' ' || COALESCE(${row}.tool_calls, '')`;

/** The indexed text of a message: its content, the tool's name, the calls' JSON. Ends in blanks, so every CJK character begins a trigram. */
export const indexedText = (row: string) => withTools(contentOf(row), row);

/** The same expression as in v11's triggers. */
export const inlineText = (row: string) => withTools(`${row}.content`, row);

export const hasCjk = (row: string) =>
  `(${[contentOf(row), `${row}.tool_name`, `${row}.tool_calls`].map(cjkIn).join(" OR ")})`;

/** Plain ASCII has as many bytes as characters: that check is a hundred times faster than GLOB. */
const cjkIn = (text: string) =>
  `(length(CAST(${text} AS BLOB)) <> length(${text}) AND ${text} GLOB ${CJK_GLOB})`;

export const FULL_TEXT_TABLES = ["messages_fts", "messages_fts_trigram"] as const;
export type FullTextTable = (typeof FULL_TEXT_TABLES)[number];

export function createFullText(db: Database, layout: Exclude<Layout, "none">): void {
  for (const table of FULL_TEXT_TABLES) createTable(db, table, table);
  createTriggers(db, "messages_fts", "messages_fts", "inline");
  createTriggers(db, "messages_fts_trigram", "messages_fts_trigram", layout);
}

export function dropFullText(db: Database): void {
  for (const table of FULL_TEXT_TABLES) {
    dropTriggers(db, table);
    db.exec(`DROP TABLE IF EXISTS ${table}`);
  }
}

/** Larger, rarer merges: fewer rewrites per append, and far below the segment limit. */
export function createTable(db: Database, name: string, like: FullTextTable): void {
  const tokenizer = like === "messages_fts_trigram" ? ", tokenize='trigram'" : "";
  db.exec(`CREATE VIRTUAL TABLE ${name} USING fts5(content${tokenizer})`);
  db.exec(`INSERT INTO ${name}(${name}, rank) VALUES ('automerge', 16), ('crisismerge', 128)`);
}

/** The three triggers that keep `table` in step with `messages`. A compact one skips text without CJK characters. */
export function createTriggers(db: Database, name: string, table: string, layout: Layout): void {
  const when = (condition: string) => (layout === "compact" ? ` WHEN ${condition}` : "");
  const onlyNew = layout === "compact" ? ` WHERE ${hasCjk("new")}` : "";
  const insert = `INSERT INTO ${table}(rowid, content) SELECT new.id, ${indexedText("new")}`;
  const remove = `DELETE FROM ${table} WHERE rowid = old.id`;
  db.exec(`
    CREATE TRIGGER ${name}_insert AFTER INSERT ON messages${when(hasCjk("new"))} BEGIN
      ${insert};
    END;
    CREATE TRIGGER ${name}_delete AFTER DELETE ON messages${when(hasCjk("old"))} BEGIN
      ${remove};
    END;
    CREATE TRIGGER ${name}_update AFTER UPDATE ON messages${when(`${hasCjk("old")} OR ${hasCjk("new")}`)} BEGIN
      ${remove};
      ${insert}${onlyNew};
    END;`);
}

export function dropTriggers(db: Database, name: string): void {
  for (const trigger of triggerNames(name)) db.exec(`DROP TRIGGER IF EXISTS ${trigger}`);
}

export function triggerNames(table: string): string[] {
  return ["insert", "delete", "update"].map((event) => `${table}_${event}`);
}

export function readLayout(db: Database): Layout {
  const sql = db
    .prepare("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'messages_fts_trigram_insert'")
    .pluck()
    .get() as string | undefined;
  if (sql === undefined) return "none";
  return /\bWHEN\b/i.test(sql) ? "compact" : "inline";
}
