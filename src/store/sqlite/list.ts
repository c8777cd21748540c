import type { Database } from "better-sqlite3";
import type { SessionId, SessionRow, SessionSummary } from "../../session.js";
import { decodeContent, plainText } from "../shared/content.js";
import type { ListQuery } from "../store.js";
import { kindOf, parentOf, rootOf, tipOf } from "./lineage.js";
import { getSession } from "./sessions.js";
import { marks, readRows, sql } from "./statements.js";
import { longRead } from "./verb.js";
import { type Condition, seesAll, visibleTo } from "./visibility.js";

const LIMIT = 20;
const PREVIEW_CHARS = 60;

/** Lists conversations: a lineage is one entry, with its root's start and everything else from its tip. */
export const listSessions = longRead(function listSessions(
  db: Database,
  query: ListQuery = {},
): SessionSummary[] {
  if (query.order !== "active") return rootsByStart(db, query).map((root) => summarise(db, root));
  if (!seesAll(query.asker)) return rootsOfPerson(db, query).map((root) => summarise(db, root));
  return take(query, byActivity(db, query));
});

function rootsByStart(db: Database, query: ListQuery): SessionRow[] {
  const { sql: where, params } = conditions(query);
  const rows = db
    .prepare(`SELECT s.* FROM sessions s WHERE ${where} ORDER BY s.started_at DESC, s.id DESC`)
    .iterate(...params) as IterableIterator<SessionRow>;
  return take(
    query,
    (function* () {
      for (const row of rows) if (isListable(db, row)) yield row;
    })(),
  );
}

/** A person has few conversations, so each is checked. */
function rootsOfPerson(db: Database, query: ListQuery): SessionRow[] {
  const { sql: where, params } = conditions(query);
  // Newest first, also where two were active at the same time.
  const rows = db
    .prepare(`SELECT s.* FROM sessions s WHERE ${where} ORDER BY s.rowid DESC`)
    .all(...params) as SessionRow[];
  const roots = new Map(rows.map((row) => rootOf(db, row)).map((root) => [root.id, root]));
  const dated = [...roots.values()]
    .filter((root) => isListable(db, root))
    .map((root) => ({ root, at: lastActive(db, tipOf(db, root)) }));
  return take(
    query,
    dated.toSorted((a, b) => b.at - a.at).map(({ root }) => root),
  );
}

/** Walks messages backwards in time, so each conversation appears at its last message; empty ones appear at their start. */
function* byActivity(db: Database, query: ListQuery): Generator<SessionSummary> {
  const seen = new Set<SessionId>();
  for (const session of byLastActivity(db)) {
    const root = rootOf(db, session);
    if (seen.has(root.id)) continue;
    seen.add(root.id);
    if (!isAskedFor(root, query) || !isListable(db, root)) continue;
    const tip = tipOf(db, root);
    yield root === session && tip === session ? session : summarise(db, root, tip);
  }
}

/** Yields each session once. Checks whether a session is empty only when it is reached; checking up front would read them all. */
function* byLastActivity(db: Database): Generator<SessionSummary> {
  const met = new Set<SessionId>();
  const starts = started(db);
  let next = starts.next();
  function* silentSince(time: number): Generator<SessionSummary> {
    for (; !next.done && next.value.at > time; next = starts.next()) {
      const { id } = next.value;
      if (!met.has(id) && lastMessage(db, id) === null) yield summarise(db, getSession(db, id)!);
    }
  }
  try {
    for (const session of spokenIn(db)) {
      yield* silentSince(session.last_active);
      met.add(session.id);
      yield session;
    }
    yield* silentSince(Number.NEGATIVE_INFINITY);
  } finally {
    starts.return(undefined);
  }
}

/**
 * DISTINCT keeps the walk's order, in which a session first appears at its last message. `LIMIT -1`
 * preserves that order: SQLite may drop the order of a subquery without a limit.
 */
function* spokenIn(db: Database): Generator<SessionSummary> {
  const rows = readRows<SessionSummary>(
    db,
    `SELECT s.*, (${firstSaid("s.id")}) AS preview, (${lastSaid("s.id")}) AS last_active
     FROM (SELECT DISTINCT session_id FROM messages ORDER BY timestamp DESC LIMIT -1) AS m
     CROSS JOIN sessions s ON s.id = m.session_id`,
  );
  for (const row of rows) {
    row.preview = toPreview(row.preview);
    yield row;
  }
}

function* started(db: Database): Generator<{ id: SessionId; at: number }, undefined> {
  const rows = sql(db, "SELECT id, started_at FROM sessions ORDER BY started_at DESC").raw().iterate();
  for (const [id, at] of rows as IterableIterator<[SessionId, number]>) yield { id, at };
}

function take<T>(query: ListQuery, rows: Iterable<T>): T[] {
  const from = query.offset ?? 0;
  const to = from + (query.limit ?? LIMIT);
  const taken: T[] = [];
  let index = 0;
  if (to <= from) return taken;
  for (const row of rows) {
    if (index++ >= from) taken.push(row);
    if (index >= to) break;
  }
  return taken;
}

function conditions(query: ListQuery): Condition {
  const visible = visibleTo(query.asker);
  const parts = [visible.sql];
  const params = [...visible.params];
  if (!query.includeArchived) parts.push("s.archived = 0");
  if (query.source !== undefined) {
    parts.push("s.source = ?");
    params.push(query.source);
  }
  if (query.excludeSources && query.excludeSources.length > 0) {
    parts.push(`s.source NOT IN (${marks(query.excludeSources)})`);
    params.push(...query.excludeSources);
  }
  return { sql: parts.join(" AND "), params };
}

/** The same for a row in memory, without the visibility check. */
function isAskedFor(session: SessionRow, { includeArchived, source, excludeSources }: ListQuery): boolean {
  if (session.archived !== 0 && !includeArchived) return false;
  if (source !== undefined && session.source !== source) return false;
  return !excludeSources?.includes(session.source);
}

/** Continuations are listed under their root, delegated work is not listed. */
export function isListable(db: Database, session: SessionRow): boolean {
  const kind = kindOf(session, parentOf(db, session));
  return kind === "root" || kind === "branch";
}

export function summarise(db: Database, root: SessionRow, tip = tipOf(db, root)): SessionSummary {
  const summary = {
    ...tip,
    started_at: root.started_at,
    preview: toPreview(sql(db, firstSaid("?")).pluck().get(tip.id) as string | null | undefined),
    last_active: lastActive(db, tip),
  };
  return tip.id === root.id ? summary : { ...summary, lineage_root_id: root.id };
}

export function lastActive(db: Database, session: SessionRow): number {
  return lastMessage(db, session.id) ?? session.started_at;
}

const lastSaid = (id: string) => `SELECT max(timestamp) FROM messages WHERE session_id = ${id}`;

function lastMessage(db: Database, id: SessionId): number | null {
  return sql(db, lastSaid("?")).pluck().get(id) as number | null;
}

const firstSaid = (id: string) => `SELECT content FROM messages
  WHERE session_id = ${id} AND role = 'user' AND content IS NOT NULL ORDER BY timestamp, id LIMIT 1`;

/** The user's first message, on one line. */
function toPreview(content: string | null | undefined): string {
  const start = plainText(decodeContent(content ?? null)).slice(0, 2 * (PREVIEW_CHARS + 1));
  const chars = Array.from(start.replace(/[\r\n]/g, " "));
  return chars.length > PREVIEW_CHARS ? `${chars.slice(0, PREVIEW_CHARS).join("")}...` : chars.join("");
}
