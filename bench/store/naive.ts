import type { Database } from "better-sqlite3";

/** The original queries, on the plain file and in this thread. */

const ROW = `m.id, m.session_id, m.role, m.timestamp, m.tool_name, s.source, s.model, s.started_at AS session_started`;
const LIMIT = 20;
const CONTEXT_CHARS = 200;

export type Path = "fts" | "trigram" | "like";

export function naiveSearch(db: Database, path: Path, query: string, newest = false): { id: number }[] {
  const rows = path === "like" ? byLike(db, query) : byMatch(db, path, query, newest);
  return rows.map((row) => ({ ...row, context: context(db, row.id) }));
}

function byMatch(db: Database, path: Path, query: string, newest: boolean): { id: number }[] {
  const table = path === "fts" ? "messages_fts" : "messages_fts_trigram";
  return db
    .prepare(
      `SELECT ${ROW}, snippet(${table}, 0, '>>>', '<<<', '...', 40) AS snippet, m.content
       FROM ${table} JOIN messages m ON m.id = ${table}.rowid JOIN sessions s ON s.id = m.session_id
       WHERE ${table} MATCH ? ORDER BY ${newest ? "m.timestamp DESC, rank" : "rank"} LIMIT ${LIMIT}`,
    )
    .all(query) as { id: number }[];
}

function byLike(db: Database, query: string): { id: number }[] {
  const like = `%${query}%`;
  return db
    .prepare(
      `SELECT ${ROW}, substr(m.content, max(1, instr(m.content, ?) - 40), 120) AS snippet, m.content
       FROM messages m JOIN sessions s ON s.id = m.session_id
       WHERE m.content LIKE ? ESCAPE '\\' OR m.tool_name LIKE ? ESCAPE '\\' OR m.tool_calls LIKE ? ESCAPE '\\'
       ORDER BY m.timestamp DESC LIMIT ${LIMIT}`,
    )
    .all(query, like, like, like) as { id: number }[];
}

/** The previous message, the message and the next message. */
function context(db: Database, id: number): { role: string; content: string }[] {
  const rows = db
    .prepare(
      `WITH hit AS (SELECT session_id, timestamp, id FROM messages WHERE id = ?)
       SELECT * FROM (SELECT m.role, m.content FROM messages m JOIN hit ON hit.session_id = m.session_id
         WHERE m.timestamp < hit.timestamp OR (m.timestamp = hit.timestamp AND m.id < hit.id)
         ORDER BY m.timestamp DESC, m.id DESC LIMIT 1)
       UNION ALL SELECT role, content FROM messages WHERE id = ?
       UNION ALL SELECT * FROM (SELECT m.role, m.content FROM messages m JOIN hit ON hit.session_id = m.session_id
         WHERE m.timestamp > hit.timestamp OR (m.timestamp = hit.timestamp AND m.id > hit.id)
         ORDER BY m.timestamp, m.id LIMIT 1)`,
    )
    .all(id, id) as { role: string; content: string | null }[];
  return rows.map(({ role, content }) => ({ role, content: (content ?? "").slice(0, CONTEXT_CHARS) }));
}

export function naiveList(db: Database): unknown[] {
  return db
    .prepare(
      `SELECT s.*,
         COALESCE((SELECT substr(m.content, 1, 63) FROM messages m
           WHERE m.session_id = s.id AND m.role = 'user' AND m.content IS NOT NULL
           ORDER BY m.timestamp, m.id LIMIT 1), '') AS preview,
         COALESCE((SELECT max(m2.timestamp) FROM messages m2 WHERE m2.session_id = s.id), s.started_at) AS last_active
       FROM sessions s ORDER BY last_active DESC LIMIT ${LIMIT}`,
    )
    .all();
}

export function naiveResolveTitle(db: Database, title: string): unknown {
  const numbered = db
    .prepare("SELECT * FROM sessions WHERE title LIKE ? ESCAPE '\\' ORDER BY started_at DESC")
    .all(`${title} #%`);
  return numbered[0] ?? db.prepare("SELECT * FROM sessions WHERE title = ?").get(title);
}

export function naiveNextTitle(db: Database, base: string): string {
  const titles = db
    .prepare("SELECT title FROM sessions WHERE title = ? OR title LIKE ? ESCAPE '\\'")
    .pluck()
    .all(base, `${base} #%`) as string[];
  const numbers = titles.map((title) => Number(/#(\d+)$/.exec(title)?.[1] ?? 1));
  return numbers.length === 0 ? base : `${base} #${Math.max(...numbers) + 1}`;
}
