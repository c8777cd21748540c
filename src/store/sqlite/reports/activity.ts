import type { Database } from "better-sqlite3";
import type { ActivityEvent, ActivityPage, ActivityQuery } from "../../reports.js";
import { fromPosition, toPosition } from "../position.js";
import { sql } from "../statements.js";
import { longRead } from "../verb.js";
import { routeKeyOf } from "./place.js";
import { shownMessage } from "./transcript.js";

const LIMIT = 20;
const MAX_LIMIT = 200;
/** Rows that one call reads; most are tool results, which aren't events. */
const MAX_ROWS = 2000;
const MAX_TEXT = 2000;

/** In SQLite ids follow commit order, so later rows have higher ids. */
interface Cursors {
  message: number;
  askedAt: number;
  decidedAt: number;
}

type Found = { at: number; event: ActivityEvent; moved: Partial<Cursors> };

export const readActivity = longRead(function readActivity(
  db: Database,
  { after, limit = LIMIT }: ActivityQuery,
): ActivityPage {
  if (after === null) return { events: [], next: positionOf(endOf(db)) };
  const [message, askedAt, decidedAt] = fromPosition(after, "number", "number", "number");
  let cursors: Cursors = { message, askedAt, decidedAt };
  const max = Math.min(limit, MAX_LIMIT);
  const messages = messagesAfter(db, message, max);
  const events: ActivityPage["events"] = [];
  for (const { event, moved } of merged([
    messages.found,
    asked(db, askedAt, max),
    decided(db, decidedAt, max),
  ])) {
    if (events.length === max) break;
    cursors = { ...cursors, ...moved };
    events.push({ ...event, position: positionOf(cursors) });
  }
  // Rows after the last event aren't events, so they aren't read again.
  if (events.length < max) cursors = { ...cursors, message: Math.max(cursors.message, messages.seen) };
  return { events, next: positionOf(cursors) };
});

function positionOf({ message, askedAt, decidedAt }: Cursors): string {
  return toPosition(message, askedAt, decidedAt);
}

function endOf(db: Database): Cursors {
  const one = (query: string) => Number(sql(db, query).pluck().get() ?? 0);
  return {
    message: one("SELECT MAX(id) FROM messages"),
    askedAt: one("SELECT MAX(created_at) FROM gw_questions"),
    decidedAt: one("SELECT MAX(decided_at) FROM gw_questions"),
  };
}

function messagesAfter(db: Database, after: number, max: number): { found: Found[]; seen: number } {
  const rows = sql(db, `SELECT id, role FROM messages WHERE id > ? ORDER BY id LIMIT ${MAX_ROWS}`).all(
    after,
  ) as {
    id: number;
    role: string;
  }[];
  const found: Found[] = [];
  for (const { id, role } of rows) {
    if (role !== "user" && role !== "assistant") continue;
    const message = shownMessage(db, id, MAX_TEXT);
    if (!message || message.text === "" || isCopy(db, message.sessionId, message.at)) continue;
    const sessionKey = routeKeyOf(db, message.sessionId);
    found.push({ at: message.at, event: { type: "message", sessionKey, message }, moved: { message: id } });
    if (found.length === max) return { found, seen: id };
  }
  return { found, seen: rows.at(-1)?.id ?? after };
}

/** A session that continues another one starts with copies of its messages, all made at the same time. */
const COPY_SECONDS = 0.02;

function isCopy(db: Database, sessionId: string, at: number): boolean {
  const startedAt = sql(db, "SELECT started_at FROM sessions WHERE id = ? AND parent_session_id IS NOT NULL")
    .pluck()
    .get(sessionId) as number | undefined;
  return startedAt !== undefined && at <= startedAt + COPY_SECONDS;
}

interface AskedRow {
  id: string;
  session_key: string;
  text: string;
  state: "open" | "answered" | "expired" | "withdrawn";
  choice: string | null;
  created_at: number;
  decided_at: number;
}

const COLUMNS = "id, session_key, text, state, answer ->> '$.choiceId' AS choice, created_at, decided_at";

function asked(db: Database, after: number, max: number): Found[] {
  const rows = sql(
    db,
    `SELECT ${COLUMNS} FROM gw_questions WHERE kind = 'approval' AND created_at > ? ORDER BY created_at LIMIT ?`,
  ).all(after, max) as AskedRow[];
  return rows.map(({ id, session_key: sessionKey, text, created_at: at }) => ({
    at,
    event: { type: "approval_requested", sessionKey, approval: { id, text, at } },
    moved: { askedAt: at },
  }));
}

function decided(db: Database, after: number, max: number): Found[] {
  const rows = sql(
    db,
    `SELECT ${COLUMNS} FROM gw_questions WHERE kind = 'approval' AND decided_at > ? ORDER BY decided_at LIMIT ?`,
  ).all(after, max) as AskedRow[];
  return rows.map(({ id, session_key: sessionKey, text, decided_at: at, state, choice }) => ({
    at,
    event: { type: "approval_resolved", sessionKey, approval: { id, text, at, decision: choice ?? state } },
    moved: { decidedAt: at },
  }));
}

/** Merges by time but keeps each list's order, so that positions only increase. */
function* merged(lists: readonly Found[][]): Generator<Found> {
  const next = lists.map(() => 0);
  for (;;) {
    const heads = lists.flatMap((list, i) => (list[next[i]!] ? [{ i, head: list[next[i]!]! }] : []));
    if (heads.length === 0) return;
    const { i, head } = heads.reduce((a, b) => (b.head.at < a.head.at ? b : a));
    next[i]! += 1;
    yield head;
  }
}
