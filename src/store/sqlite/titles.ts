import type { Database } from "better-sqlite3";
import { HermesError } from "../../errors.js";
import type { Principal } from "../../message.js";
import type { SessionId, SessionRow } from "../../session.js";
import { lineageBase, nextInLineage, nextTitleThatFits, sanitizeTitle } from "../../title.js";
import { readRow, sql } from "./statements.js";
import { read, write } from "./verb.js";
import { visibleTo } from "./visibility.js";

/** Titles that start with `<base> #`, ignoring case, as a range ('$' follows '#'). */
const NUMBERED = "title COLLATE NOCASE >= ? || ' #' AND title COLLATE NOCASE < ? || ' $'";

export const setTitle = write(function setTitle(
  db: Database,
  id: SessionId,
  raw: string | null,
  how?: "suggested" | "numbered",
): boolean {
  const title = sanitizeTitle(raw);
  if (how === "suggested") return title !== null && suggestTitle(db, id, title);
  const holder =
    title && sql(db, "SELECT id FROM sessions WHERE title = ? AND id <> ?").pluck().get(title, id);
  if (holder && how !== "numbered")
    throw new HermesError("conflict", `Title '${title}' is already in use by session ${holder}`);
  return holder ? renumber(db, id, title) : rename(db, id, title);
});

function rename(db: Database, id: SessionId, title: string | null): boolean {
  return sql(db, "UPDATE sessions SET title = ? WHERE id = ?").run(title, id).changes > 0;
}

/** A session that already has this title with a number keeps it. */
function renumber(db: Database, id: SessionId, title: string): boolean {
  const current = sql(db, "SELECT title FROM sessions WHERE id = ?").pluck().get(id) as string | null;
  if (current !== null && current !== title && lineageBase(current) === title) return true;
  return rename(db, id, freeTitle(db, title));
}

function suggestTitle(db: Database, id: SessionId, title: string): boolean {
  const named = sql(db, "UPDATE sessions SET title = ? WHERE id = ? AND title IS NULL");
  return named.run(freeTitle(db, title), id).changes > 0;
}

export const nextTitle = read(function nextTitle(db: Database, title: string): string {
  const base = lineageBase(title);
  return nextInLineage(base, family(db, base));
});

/** For titles we choose ourselves: always finds a free one. */
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

/** The most recently started of the numbered ones, else the exact one: one statement. */
export function resolveTitle(db: Database, title: string, asker?: Principal): SessionRow | undefined {
  const visible = visibleTo(asker);
  // LIMIT keeps SQLite from starting with all sessions the asker may see; titles are more selective.
  const latest = (titles: string) =>
    `(SELECT id FROM (SELECT s.id, max(s.started_at)
       FROM (SELECT id, started_at FROM sessions WHERE ${titles} LIMIT -1) s WHERE ${visible.sql}))`;
  return readRow(
    db,
    `SELECT * FROM sessions WHERE id = coalesce(${latest(NUMBERED)}, ${latest("title = ?")})`,
    ...[title, title, ...visible.params],
    ...[title, ...visible.params],
  );
}
