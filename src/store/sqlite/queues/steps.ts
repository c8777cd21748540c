import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { Person } from "../../../message.js";
import type { NewMessage, SessionId } from "../../../session.js";
import type {
  GrantSubject,
  NewToolCall,
  RecordedSteps,
  StepEntry,
  ToolCaller,
  ToolCallRow,
  ToolCallState,
  ToolGrant,
  TurnStep,
} from "../../queues.js";
import { AGENTS, OPERATOR } from "../../queues.js";
import { nameOfSubject } from "../reports/names.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";
import { OPEN_IN } from "./schema.js";

/** The journal of running turns, and the record of tool calls. */

export const recordStep = write(function recordStep(db: Database, step: TurnStep): boolean {
  const { turnId, bootId, position, entries, calls = [], caller, ended = [], starting, isNested } = step;
  const held = sql(
    db,
    `UPDATE gw_inbox SET attempts = ${isNested ? "attempts" : "0"} WHERE turn_id = ? AND boot_id = ? AND state = 'running' AND ${OPEN_IN}`,
  ).run(turnId, bootId).changes;
  if (held === 0) return false;
  for (const [i, { message, usage, inboxId }] of entries.entries()) {
    sql(
      db,
      "INSERT OR IGNORE INTO gw_steps (turn_id, position, message, usage, inbox_id) VALUES (?, ?, ?, ?, ?)",
    ).run(
      turnId,
      position + i,
      JSON.stringify(message),
      usage ? JSON.stringify(usage) : null,
      inboxId ?? null,
    );
    if (inboxId !== undefined) joinTurn(db, inboxId, turnId);
  }
  if (caller) for (const call of calls) addCall(db, call, caller, turnId);
  for (const { id, state, result, decidedBy } of ended)
    sql(
      db,
      `UPDATE gw_tool_calls SET state = ?, result = ?, decided_by = ?, ended_at = ? WHERE id = ? AND state IN ('waiting', 'running')`,
    ).run(state, result, decidedBy ?? null, nowSeconds(), id);
  if (starting !== undefined)
    sql(
      db,
      "UPDATE gw_tool_calls SET state = 'running', started_at = ? WHERE id = ? AND state = 'waiting'",
    ).run(nowSeconds(), starting);
  return true;
});

/** A message that joined a running turn is part of that turn after a crash too. */
function joinTurn(db: Database, inboxId: number, turnId: string): void {
  sql(
    db,
    `UPDATE gw_inbox SET state = 'running', turn_id = @turn, started_at = @now,
       (boot_id, session_id) = (SELECT boot_id, session_id FROM gw_inbox WHERE turn_id = @turn AND state = 'running' AND ${OPEN_IN} LIMIT 1)
     WHERE id = @id AND state = 'waiting'`,
  ).run({ id: inboxId, turn: turnId, now: nowSeconds() });
}

function addCall(db: Database, call: NewToolCall, caller: ToolCaller, turnId: string): void {
  sql(
    db,
    `INSERT OR IGNORE INTO gw_tool_calls
       (id, call_id, turn_id, session_key, session_id, platform, user_id, user_name, chat_id, tool, arguments, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    call.id,
    call.callId,
    turnId,
    caller.sessionKey,
    caller.sessionId,
    caller.platform,
    caller.userId,
    caller.userName,
    caller.chatId,
    call.tool,
    call.arguments,
    nowSeconds(),
  );
}

export function hasSteps(db: Database, turnId: string | null | undefined): boolean {
  return turnId
    ? sql(db, "SELECT 1 FROM gw_steps WHERE turn_id = ? LIMIT 1").get(turnId) !== undefined
    : false;
}

/** Gives the journal to the turn's next attempt. Undefined if there is none. */
export function takeSteps(db: Database, earlierTurnId: string, turnId: string): RecordedSteps | undefined {
  if (!hasSteps(db, earlierTurnId)) return undefined;
  sql(db, "UPDATE gw_steps SET turn_id = ? WHERE turn_id = ?").run(turnId, earlierTurnId);
  sql(db, "UPDATE gw_tool_calls SET turn_id = ? WHERE turn_id = ?").run(turnId, earlierTurnId);
  sql(db, "UPDATE gw_questions SET turn_id = ? WHERE turn_id = ?").run(turnId, earlierTurnId);
  return readSteps(db, turnId);
}

export function readSteps(db: Database, turnId: string): RecordedSteps | undefined {
  const rows = sql(
    db,
    "SELECT message, usage, inbox_id FROM gw_steps WHERE turn_id = ? ORDER BY position",
  ).all(turnId) as { message: string; usage: string | null; inbox_id: number | null }[];
  if (rows.length === 0) return undefined;
  const calls = sql(db, "SELECT * FROM gw_tool_calls WHERE turn_id = ? ORDER BY seq").all(
    turnId,
  ) as StoredCall[];
  return { entries: rows.map(toEntry), calls: calls.map(toCall) };
}

function toEntry(row: { message: string; usage: string | null; inbox_id: number | null }): StepEntry {
  return {
    message: JSON.parse(row.message) as NewMessage,
    ...(row.usage === null ? {} : { usage: JSON.parse(row.usage) as object }),
    ...(row.inbox_id === null ? {} : { inboxId: row.inbox_id }),
  };
}

/** Clears the journal of a finished turn. Calls that haven't ended never will. */
export function dropSteps(db: Database, turnId: string): void {
  const dropped = sql(db, "DELETE FROM gw_steps WHERE turn_id = ?").run(turnId).changes;
  if (dropped === 0) return;
  const now = nowSeconds();
  sql(
    db,
    `UPDATE gw_tool_calls SET state = iif(state = 'running', 'unknown', 'stopped'), ended_at = ?
     WHERE turn_id = ? AND state IN ('waiting', 'running')`,
  ).run(now, turnId);
  sql(
    db,
    "UPDATE gw_questions SET state = 'withdrawn', decided_at = ? WHERE turn_id = ? AND state = 'open'",
  ).run(now, turnId);
}

export interface StoredCall {
  seq: number;
  id: string;
  call_id: string;
  turn_id: string;
  session_key: string;
  session_id: string;
  platform: string;
  user_id: string;
  user_name: string | null;
  chat_id: string | null;
  tool: string;
  arguments: string;
  state: ToolCallState;
  result: string | null;
  decided_by: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

export function toCall(row: StoredCall): ToolCallRow {
  return {
    id: row.id,
    callId: row.call_id,
    turnId: row.turn_id,
    sessionKey: row.session_key,
    sessionId: row.session_id,
    platform: row.platform,
    userId: row.user_id,
    userName: row.user_name,
    chatId: row.chat_id,
    tool: row.tool,
    arguments: row.arguments,
    state: row.state,
    result: row.result,
    decidedBy: row.decided_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

// ── remembered approvals ────────────────────────────────────────────────────────────────────────────────────────

const MAX_GRANTS = 1000;

export const grants = read(function grants(
  db: Database,
  of?: { person: Person; sessionId: SessionId },
): ToolGrant[] {
  if (!of) {
    const all = sql(db, `SELECT * FROM gw_grants ORDER BY at DESC LIMIT ${MAX_GRANTS}`).all();
    return (all as StoredGrant[]).map((row) => ({ ...toGrant(row), names: namesIn(db, row) }));
  }
  const subjects = [personSubject(of.person), sessionSubject(of.sessionId)];
  const rows = sql(db, "SELECT * FROM gw_grants WHERE subject IN (?, ?)").all(...subjects);
  return (rows as StoredGrant[]).map(toGrant);
});

function namesIn(db: Database, { subject, granted_by }: StoredGrant): NonNullable<ToolGrant["names"]> {
  const person = subject.startsWith(SESSION) ? null : nameOfSubject(db, subject.slice(PERSON.length));
  return { person, grantedBy: nameOfSubject(db, granted_by) };
}

interface StoredGrant {
  subject: string;
  tool: string;
  granted_by: string;
  at: number;
}

function toGrant({ subject, tool, granted_by: grantedBy, at }: StoredGrant): ToolGrant {
  if (subject.startsWith(SESSION))
    return { tool, scope: "session", to: { sessionId: subject.slice(SESSION.length) }, grantedBy, at };
  const [, platform = "", ...userId] = subject.split(":");
  return { tool, scope: "person", to: { person: { platform, userId: userId.join(":") } }, grantedBy, at };
}

export const setGrant = write(function setGrant(
  db: Database,
  to: GrantSubject,
  tool: string,
  grantedBy: string | null,
): boolean {
  const subject = "person" in to ? personSubject(to.person) : sessionSubject(to.sessionId);
  if (grantedBy !== null) return saveGrant(db, subject, tool, grantedBy);
  return sql(db, "DELETE FROM gw_grants WHERE subject = ? AND tool = ?").run(subject, tool).changes > 0;
});

function saveGrant(db: Database, subject: string, tool: string, grantedBy: string): boolean {
  const added = sql(
    db,
    "INSERT INTO gw_grants (subject, tool, granted_by, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  ).run(subject, tool, grantedBy, nowSeconds());
  return added.changes > 0;
}

/** Remembers the approval of a call, for its person or its session. */
export function addGrant(db: Database, callId: string, scope: ToolGrant["scope"], grantedBy: string): void {
  const call = sql(db, "SELECT * FROM gw_tool_calls WHERE id = ?").get(callId) as StoredCall | undefined;
  if (!call) return;
  const { platform, user_id: userId, session_id, tool } = call;
  const subject = scope === "person" ? personSubject({ platform, userId }) : sessionSubject(session_id);
  saveGrant(db, subject, tool, grantedBy);
}

export function personSubject({ platform, userId }: Person): string {
  return `${PERSON}${platform}:${userId}`;
}

const PERSON = "person:";
const SESSION = "session:";

function sessionSubject(id: SessionId): string {
  return `${SESSION}${id}`;
}

// ── upkeep ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Removes steps of finished turns, old questions, and agents' values of deleted sessions. Tool calls are kept longer than queue rows. */
export function pruneSteps(db: Database, before: number): void {
  sql(
    db,
    `DELETE FROM gw_steps WHERE turn_id NOT IN (SELECT turn_id FROM gw_inbox WHERE ${OPEN_IN} AND turn_id IS NOT NULL)`,
  ).run();
  sql(db, "DELETE FROM gw_questions WHERE decided_at < ?").run(before);
  sql(db, "DELETE FROM gw_cursors WHERE platform = ? AND name NOT IN (SELECT id FROM sessions)").run(AGENTS);
  sql(db, "DELETE FROM gw_tool_calls WHERE ended_at < ?").run(before - AUDIT_SECONDS);
  sql(db, "DELETE FROM gw_records WHERE platform = ? AND created_at < ?").run(
    OPERATOR,
    before - AUDIT_SECONDS,
  );
}

/** In addition to the retention of queue rows. */
const AUDIT_SECONDS = 335 * 86_400;
