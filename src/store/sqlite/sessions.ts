import type { Database } from "better-sqlite3";
import { newSessionId, nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { Principal, Room } from "../../message.js";
import type { EndReason, SessionId, SessionRow } from "../../session.js";
import type { Author } from "../queues.js";
import type { CalledSession, NewSession, Usage } from "../store.js";
import { readRow, sql } from "./statements.js";
import { resolveTitle, setTitle } from "./titles.js";
import { read, write } from "./verb.js";
import { visibleTo } from "./visibility.js";

export const getSession = read(function getSession(
  db: Database,
  which: SessionId | CalledSession,
  asker?: Principal,
): SessionRow | undefined {
  if (typeof which === "string")
    return asker
      ? visibleSession(db, which, asker)
      : readRow(db, "SELECT * FROM sessions WHERE id = ?", which);
  if ("title" in which) return resolveTitle(db, which.title, asker);
  const { called } = which;
  return visibleSession(db, called, asker) ?? byPrefix(db, called, asker) ?? resolveTitle(db, called, asker);
});

function visibleSession(db: Database, id: SessionId, asker: Principal | undefined): SessionRow | undefined {
  const visible = visibleTo(asker);
  const one = `SELECT s.* FROM sessions s WHERE s.id = ? AND ${visible.sql}`;
  return sql(db, one).get(id, ...visible.params) as SessionRow | undefined;
}

export function requireSession(db: Database, id: SessionId): SessionRow {
  const session = getSession(db, id);
  if (!session) throw new HermesError("not_found", `Session '${id}' not found.`);
  return session;
}

export const createSession = write(function createSession(db: Database, session: NewSession): SessionRow {
  const id = session.id ?? newSessionId();
  const added = sql(
    db,
    `INSERT OR IGNORE INTO sessions
       (id, source, user_id, model, model_config, system_prompt, parent_session_id, started_at, cwd)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    id,
    session.source,
    session.user_id ?? null,
    session.model ?? null,
    session.model_config ?? null,
    session.system_prompt ?? null,
    session.parent_session_id ?? null,
    session.started_at ?? nowSeconds(),
    session.cwd ?? null,
  ).changes;
  // The random id is taken by someone else's session: don't return that one.
  if (!added && session.id === undefined) return createSession(db, session);
  if (added && session.title) setTitle(db, id, session.title);
  if (added && session.room) putInRoom(db, id, session.room);
  else if (added && session.parent_session_id) inheritRoom(db, id, session.parent_session_id);
  return requireSession(db, id);
});

export function getRoom(db: Database, id: SessionId): Room | undefined {
  const find = sql(db, "SELECT platform, chat_id AS chatId FROM gw_rooms WHERE session_id = ?");
  return find.get(id) as Room | undefined;
}

export function putInRoom(db: Database, id: SessionId, { platform, chatId }: Room): void {
  const put = sql(db, "INSERT OR IGNORE INTO gw_rooms (session_id, platform, chat_id) VALUES (?, ?, ?)");
  put.run(id, platform, chatId);
}

/** Continuations and copies of a room's session belong to the room too. */
function inheritRoom(db: Database, id: SessionId, from: SessionId): void {
  sql(
    db,
    `INSERT OR IGNORE INTO gw_rooms (session_id, platform, chat_id)
     SELECT ?, platform, chat_id FROM gw_rooms WHERE session_id = ?`,
  ).run(id, from);
}

/** A session that continues elsewhere moves to that room, or to none. */
export function leaveOtherRooms(db: Database, id: SessionId, room: Room | undefined): void {
  const leave = sql(db, "DELETE FROM gw_rooms WHERE session_id = ? AND (platform, chat_id) <> (?, ?)");
  leave.run(id, room?.platform ?? "", room?.chatId ?? "");
}

export const endSession = write(function endSession(db: Database, id: SessionId, reason: EndReason): boolean {
  const end = sql(db, "UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL");
  return end.run(nowSeconds(), reason, id).changes > 0;
});

export const reopenSession = write(function reopenSession(db: Database, id: SessionId): boolean {
  return sql(db, "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?").run(id).changes > 0;
});

export const addParticipant = write(function addParticipant(
  db: Database,
  id: SessionId,
  person: Principal,
): void {
  sql(db, "INSERT OR IGNORE INTO gw_participants (session_id, platform, user_id) VALUES (?, ?, ?)").run(
    id,
    person.platform,
    person.userId,
  );
});

/** The owner of a session needs no row. */
export function addAuthors(
  db: Database,
  id: SessionId,
  messageIds: readonly number[],
  authors: readonly (Author | null)[],
): void {
  if (!authors.some((author) => author !== null)) return;
  const owner = sql(db, "SELECT user_id, source FROM sessions WHERE id = ?").get(id);
  const { user_id, source } = owner as Pick<SessionRow, "user_id" | "source">;
  const add = sql(
    db,
    "INSERT OR IGNORE INTO gw_authors (message_id, session_id, platform, user_id, user_name) VALUES (?, ?, ?, ?, ?)",
  );
  for (const [i, author] of authors.entries()) {
    if (!author || (author.userId === user_id && author.platform === source)) continue;
    add.run(messageIds[i], id, author.platform, author.userId, author.userName);
  }
}

/** By message. */
export function authorsOf(db: Database, id: SessionId): Map<number, Author> {
  const rows = sql(
    db,
    `SELECT message_id AS messageId, platform, user_id AS userId, user_name AS userName FROM gw_authors
     WHERE session_id = ?`,
  ).all(id) as (Author & { messageId: number })[];
  return new Map(rows.map(({ messageId, ...author }) => [messageId, author]));
}

const COUNTERS = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "api_call_count",
  "estimated_cost_usd",
  "actual_cost_usd",
] as const;
/** Set once: existing values are from the session's start. */
const FACTS = ["model", "billing_provider", "billing_base_url", "billing_mode"] as const;
const LATEST = ["cost_status", "cost_source", "pricing_version"] as const;

/** Creates a missing session, like Hermes: paid usage is never dropped. */
export const addUsage = write(function addUsage(
  db: Database,
  id: SessionId,
  usage: Usage,
  mode: "add" | "set" = "add",
): void {
  const sets: string[] = [];
  const values: unknown[] = [];
  const set = (column: string, expression: string, value: unknown) => {
    if (value === undefined) return;
    sets.push(`${column} = ${expression}`);
    values.push(value);
  };
  for (const column of COUNTERS) {
    set(column, mode === "add" ? `COALESCE(${column}, 0) + ?` : "?", usage[column]);
  }
  for (const column of FACTS) set(column, `COALESCE(${column}, ?)`, usage[column]);
  for (const column of LATEST) set(column, "?", usage[column]);
  // Created even without a value to set.
  const update = `UPDATE sessions SET ${sets.length > 0 ? sets.join(", ") : "id = id"} WHERE id = ?`;
  if (sql(db, update).run(...values, id).changes > 0) return;
  createSession(db, { id, source: "unknown" });
  sql(db, update).run(...values, id);
});

const CANDIDATES = 5;

/** Ids are ASCII, so the range up to the next character covers exactly the ids with this prefix. */
function byPrefix(db: Database, prefix: string, asker?: Principal): SessionRow | undefined {
  if (!/^[\w.:-]+$/.test(prefix)) return undefined;
  const visible = visibleTo(asker);
  const rows = sql(
    db,
    `SELECT s.* FROM sessions s WHERE s.id >= ? AND s.id < ? AND ${visible.sql} ORDER BY s.id LIMIT ${CANDIDATES}`,
  ).all(prefix, `${prefix}\u{10ffff}`, ...visible.params) as SessionRow[];
  if (rows.length <= 1) return rows[0];
  // An exact title beats an ambiguous id prefix.
  const titled = resolveTitle(db, prefix, asker);
  if (titled) return titled;
  throw new HermesError("conflict", `'${prefix}' matches several session ids.`, {
    hint: `Use a longer prefix: ${rows.map((row) => row.id).join(", ")}${rows.length === CANDIDATES ? ", …" : ""}`,
  });
}
