import type { Database } from "better-sqlite3";
import { HermesError } from "../../errors.js";
import type { Principal } from "../../message.js";
import type { SessionId, SessionRow } from "../../session.js";
import { lineageBase, nextInLineage, nextTitleThatFits, sanitizeTitle } from "../../title.js";
import { readRow, sql } from "./statements.js";
import { visibleTo } from "./visibility.js";

/** Titles that begin with `<base> #`, whatever their case: a range, since '$' follows '#'. */
const NUMBERED = "title COLLATE NOCASE >= ? || ' #' AND title COLLATE NOCASE < ? || ' $'";

export function setTitle(db: Database, id: SessionId, raw: string | null): boolean {
  const title = sanitizeTitle(raw);
  if (title !== null) {
    const holder = sql(db, "SELECT id FROM sessions WHERE title = ? AND id <> ?").pluck().get(title, id);
    if (holder) throw new HermesError("conflict", `Title '${title}' is already in use by session ${holder}`);
  }
  return sql(db, "UPDATE sessions SET title = ? WHERE id = ?").run(title, id).changes > 0;
}

export function suggestTitle(db: Database, id: SessionId, raw: string): boolean {
  const title = sanitizeTitle(raw);
  if (title === null) return false;
  const named = sql(db, "UPDATE sessions SET title = ? WHERE id = ? AND title IS NULL");
  return named.run(freeTitle(db, title), id).changes > 0;
}

export function nextTitle(db: Database, title: string): string {
  const base = lineageBase(title);
  return nextInLineage(base, family(db, base));
}

/** For titles that we choose ourselves: always one that can be set. */
export function freeTitle(db: Database, title: string): string {
  const base = lineageBase(title);
  const next = nextTitleThatFits(base, family(db, base));
  return isTaken(db, next) ? freeTitle(db, next) : next;
}

function family(db: Database, base: string): string[] {
  return sql(
    db,
    `SELECT title FROM sessions WHERE title = ? UNION ALL SELECT title FROM sessions WHERE ${NUMBERED}`,
  )
    .pluck()
    .all(base, base, base) as string[];
}

function isTaken(db: Database, title: string): boolean {
  return sql(db, "SELECT 1 FROM sessions WHERE title = ?").get(title) !== undefined;
}

/**
 * The most recently started of the numbered ones, else the exact one. By the titles first, which are few, not by all
 * sessions that the asker may see; the whole row is read once it is known which one it is.
 */
export function resolveTitle(db: Database, title: string, asker?: Principal): SessionRow | undefined {
  const visible = visibleTo(asker);
  const latest = (titles: string, ...params: unknown[]) =>
    sql(
      db,
      `WITH s AS MATERIALIZED (SELECT id, started_at FROM sessions WHERE ${titles})
       SELECT id FROM s WHERE ${visible.sql} ORDER BY started_at DESC LIMIT 1`,
    )
      .pluck()
      .get(...params, ...visible.params) as SessionId | undefined;
  const id = latest(NUMBERED, title, title) ?? latest("title = ?", title);
  return id === undefined ? undefined : readRow(db, "SELECT * FROM sessions WHERE id = ?", id);
}
