import type { Database } from "better-sqlite3";
import type { FullTextTable } from "./fulltext.js";
import { sql } from "./statements.js";

/** Snippets with their matches marked, as FTS5 makes them. */

export const snippetIn = (table: FullTextTable) => `snippet(${table}, 0, '>>>', '<<<', '...', 40)`;

/** better-sqlite3 binds numbers as REAL, and FTS5 reads all matches where a bound of the row id isn't an INTEGER. */
export const ROWID = "CAST(? AS INTEGER)";

/** Reading this many matches takes as long as looking up twenty of them one by one. */
const NEAR = 6000;

export function markedSnippets(
  db: Database,
  table: FullTextTable,
  match: string,
  ids: readonly number[],
): Map<number, string> {
  if (ids.length === 0) return new Map();
  const [from, to] = [Math.min(...ids), Math.max(...ids)];
  const isNear = to - from < NEAR || matchesBetween(db, table, match, from, to) < NEAR;
  return new Map(
    isNear
      ? snippetsBetween(db, table, match, ids)
      : ids.flatMap((id) => snippetsBetween(db, table, match, [id])),
  );
}

const between = (table: FullTextTable) => `${table} MATCH ? AND rowid BETWEEN ${ROWID} AND ${ROWID}`;

const SAMPLE = 200;

/** An estimate from both ends of the range: counting takes longer than what it decides about. */
function matchesBetween(db: Database, table: FullTextTable, match: string, from: number, to: number): number {
  const sample = (order: "ASC" | "DESC") =>
    sql(
      db,
      `SELECT rowid FROM ${table} WHERE ${between(table)} ORDER BY rowid ${order} LIMIT 1 OFFSET ${SAMPLE}`,
    )
      .pluck()
      .get(match, from, to) as number | undefined;
  const newest = sample("DESC");
  if (newest === undefined) return SAMPLE;
  const oldest = sample("ASC")!;
  return (SAMPLE * (to - from)) / Math.min(to - newest, oldest - from);
}

/** One pass over the matches from the first to the last id; `+` keeps SQLite from starting over for each of them. */
export function snippetsBetween(
  db: Database,
  table: FullTextTable,
  match: string,
  ids: readonly number[],
): [number, string][] {
  const rows = sql(
    db,
    `SELECT rowid, ${snippetIn(table)} FROM ${table}
     WHERE ${between(table)} AND +rowid IN (SELECT value FROM json_each(?))`,
  )
    .raw()
    .all(match, Math.min(...ids), Math.max(...ids), JSON.stringify(ids)) as [number, string][];
  return rows.map(([id, snippet]) => [id, snippet.trimEnd()]);
}
