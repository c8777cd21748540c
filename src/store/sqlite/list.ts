import type { Database } from "better-sqlite3";
import type { SessionId, SessionRow, SessionSummary } from "../../session.js";
import type { ListQuery } from "../store.js";
import { decodeContent, plainText } from "./content.js";
import { kindOf, parentOf, rootOf, tipOf } from "./lineage.js";
import { getSession } from "./sessions.js";
import { marks, sql } from "./statements.js";
import { type Condition, visibleTo } from "./visibility.js";

const LIMIT = 20;
const PREVIEW_CHARS = 60;

/** Conversations, not rows: a lineage is one entry, under its root's start, with all else from its tip. */
export function listSessions(db: Database, query: ListQuery = {}): SessionSummary[] {
  const roots = query.order === "active" ? rootsByActivity(db, query) : rootsByStart(db, query);
  return roots.map((root) => summarise(db, root));
}

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

/** One person's conversations are few: each is looked at. */
function rootsOfPerson(db: Database, query: ListQuery): SessionRow[] {
  const { sql: where, params } = conditions(query);
  const rows = db.prepare(`SELECT s.* FROM sessions s WHERE ${where}`).all(...params) as SessionRow[];
  const roots = new Map(rows.map((row) => rootOf(db, row)).map((root) => [root.id, root]));
  const dated = [...roots.values()]
    .filter((root) => isListable(db, root))
    .map((root) => ({ root, at: lastActive(db, tipOf(db, root)) }));
  return take(
    query,
    dated.toSorted((a, b) => b.at - a.at).map(({ root }) => root),
  );
}

/** Walks messages backwards in time and meets each conversation at its last message; the silent ones join by their start. */
function rootsByActivity(db: Database, query: ListQuery): SessionRow[] {
  if (query.asker && !query.asker.owner) return rootsOfPerson(db, query);
  const { sql: where, params } = conditions(query);
  const matches = sql(db, `SELECT 1 FROM sessions s WHERE s.id = ? AND ${where}`);
  const seen = new Set<SessionId>();
  return take(
    query,
    (function* () {
      for (const id of byLastActivity(db)) {
        const root = rootOf(db, getSession(db, id)!);
        if (seen.has(root.id)) continue;
        seen.add(root.id);
        if (isListable(db, root) && matches.get(root.id, ...params)) yield root;
      }
    })(),
  );
}

/** Each once. Whether a session is silent is asked only of those that are reached: looking beforehand would read them all. */
function* byLastActivity(db: Database): Generator<SessionId> {
  const met = new Set<SessionId>();
  for (const { id, spoken } of merge(spokenIn(db), started(db))) {
    if (met.has(id) || !(spoken || lastMessage(db, id) === null)) continue;
    met.add(id);
    yield id;
  }
}

interface Activity {
  id: SessionId;
  at: number;
  spoken: boolean;
}

/** DISTINCT keeps the order of the walk: a session is met first at its last message. */
function* spokenIn(db: Database): Generator<Activity> {
  const ids = sql(db, "SELECT DISTINCT session_id FROM messages ORDER BY timestamp DESC").pluck().iterate();
  for (const id of ids as IterableIterator<SessionId>) yield { id, at: lastMessage(db, id)!, spoken: true };
}

function* started(db: Database): Generator<Activity> {
  const rows = sql(db, "SELECT id, started_at AS at FROM sessions ORDER BY started_at DESC").iterate();
  for (const row of rows as IterableIterator<Omit<Activity, "spoken">>) yield { ...row, spoken: false };
}

/** Two streams, newest first, into one. Stopping early closes both. */
function* merge(one: Generator<Activity>, other: Generator<Activity>): Generator<Activity> {
  try {
    let a = one.next();
    let b = other.next();
    while (!a.done || !b.done) {
      const first = b.done || (!a.done && a.value.at >= b.value.at);
      yield (first ? a : b).value;
      if (first) a = one.next();
      else b = other.next();
    }
  } finally {
    one.return(undefined);
    other.return(undefined);
  }
}

function take(query: ListQuery, rows: Iterable<SessionRow>): SessionRow[] {
  const from = query.offset ?? 0;
  const to = from + (query.limit ?? LIMIT);
  const taken: SessionRow[] = [];
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

/** Continuations are shown by their root, delegated work by nobody. */
export function isListable(db: Database, session: SessionRow): boolean {
  const kind = kindOf(session, parentOf(db, session));
  return kind === "root" || kind === "branch";
}

export function summarise(db: Database, root: SessionRow, tip = tipOf(db, root)): SessionSummary {
  const summary = {
    ...tip,
    started_at: root.started_at,
    preview: previewOf(db, tip.id),
    last_active: lastActive(db, tip),
  };
  return tip.id === root.id ? summary : { ...summary, lineage_root_id: root.id };
}

export function lastActive(db: Database, session: SessionRow): number {
  return lastMessage(db, session.id) ?? session.started_at;
}

function lastMessage(db: Database, id: SessionId): number | null {
  return sql(db, "SELECT max(timestamp) FROM messages WHERE session_id = ?").pluck().get(id) as number | null;
}

/** The first thing that the user said, on one line. */
function previewOf(db: Database, id: SessionId): string {
  const content = sql(
    db,
    `SELECT content FROM messages WHERE session_id = ? AND role = 'user' AND content IS NOT NULL
     ORDER BY timestamp, id LIMIT 1`,
  )
    .pluck()
    .get(id) as string | undefined;
  const chars = Array.from(
    plainText(decodeContent(content ?? null))
      .replace(/[\r\n]/g, " ")
      .slice(0, 4 * PREVIEW_CHARS),
  );
  return chars.length > PREVIEW_CHARS ? `${chars.slice(0, PREVIEW_CHARS).join("")}...` : chars.join("");
}
