import type { Database } from "better-sqlite3";
import type { SessionId } from "../../../session.js";
import { sql } from "../statements.js";

/** A position in the list: sessions after it were active earlier. */
export interface SessionPosition {
  at: number;
  id: SessionId;
}

/** Messages per slice. */
const SLICE = 4000;
/** Time limit, after which a walk stops and returns its position. */
const TIME_MS = 60;

interface WalkBounds {
  before: SessionPosition | undefined;
  until: number | undefined;
  since: number | undefined;
}

/**
 * Visits every session at its last message, empty ones at their start, backwards in time, in slices of the
 * time index. Returns the next position, null at the end.
 */
export function* walkByActivity(
  db: Database,
  { before, until, since }: WalkBounds,
): Generator<SessionPosition, SessionPosition | null> {
  const start = { at: until ?? Number.MAX_VALUE, id: "" };
  let from = before && before.at < start.at ? before : start;
  const giveUpAt = performance.now() + TIME_MS;
  while (performance.now() < giveUpAt) {
    const to = sliceEnd(db, from);
    yield* inSlice(db, from, to ?? LAST);
    if (!to || to.at < (since ?? Number.NEGATIVE_INFINITY)) return null;
    from = to;
  }
  return from;
}

const LAST: SessionPosition = { at: -Number.MAX_VALUE, id: "" };

function sliceEnd(db: Database, from: SessionPosition): SessionPosition | undefined {
  return sql(
    db,
    `SELECT timestamp AS at, session_id AS id FROM messages WHERE (timestamp, session_id) < (?, ?)
     ORDER BY timestamp DESC, session_id DESC LIMIT 1 OFFSET ${SLICE - 1}`,
  ).get(from.at, from.id) as SessionPosition | undefined;
}

/** From (exclusive) down to (inclusive). A session with two messages at its last moment is visited once. */
function inSlice(db: Database, from: SessionPosition, to: SessionPosition): SessionPosition[] {
  const bounds = { fromAt: from.at, fromId: from.id, toAt: to.at, toId: to.id };
  return sql(
    db,
    `SELECT DISTINCT m.timestamp AS at, m.session_id AS id FROM messages m
     WHERE (m.timestamp, m.session_id) < (@fromAt, @fromId) AND (m.timestamp, m.session_id) >= (@toAt, @toId)
       AND NOT EXISTS (SELECT 1 FROM messages n WHERE n.session_id = m.session_id AND n.timestamp > m.timestamp)
     UNION ALL
     SELECT s.started_at, s.id FROM sessions s
     WHERE s.started_at <= @fromAt AND s.started_at >= @toAt
       AND (s.started_at, s.id) < (@fromAt, @fromId) AND (s.started_at, s.id) >= (@toAt, @toId)
       AND NOT EXISTS (SELECT 1 FROM messages n WHERE n.session_id = s.id)
     ORDER BY at DESC, id DESC`,
  ).all(bounds) as SessionPosition[];
}
