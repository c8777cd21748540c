import type { Database } from "better-sqlite3";
import { HermesError } from "../../errors.js";
import type { MessageRow, SessionId, SessionRow } from "../../session.js";
import {
  decodeContentExactly,
  decodeExactly,
  decodeJsonList,
  encodeContent,
  encodeJson,
} from "../shared/content.js";
import type { ExportedSession, ExportQuery } from "../store.js";
import { lastActive } from "./list.js";
import { storedMessages } from "./messages.js";
import { getSession } from "./sessions.js";
import { sql } from "./statements.js";
import { freeTitle } from "./titles.js";
import { bulkRead, write } from "./verb.js";

const SESSIONS_PER_PAGE = 20;

export interface ExportCursor {
  started_at: number;
  id: SessionId;
}

export const countExport = bulkRead(function countExport(db: Database, query: ExportQuery): number {
  if (query.sessionId !== undefined) return getSession(db, query.sessionId) ? 1 : 0;
  return sql(db, "SELECT count(*) FROM sessions WHERE ? IS NULL OR source = ?")
    .pluck()
    .get(query.source ?? null, query.source ?? null) as number;
});

/** A page of sessions, oldest first, so that parents come before their children. */
export const exportPage = bulkRead(function exportPage(
  db: Database,
  query: ExportQuery,
  after?: ExportCursor,
): ExportedSession[] {
  if (query.sessionId !== undefined) {
    const one = getSession(db, query.sessionId);
    return one ? [withMessages(db, one)] : [];
  }
  const rows = sql(
    db,
    `SELECT * FROM sessions WHERE (started_at, id) > (?, ?) AND (? IS NULL OR source = ?)
     ORDER BY started_at, id LIMIT ${SESSIONS_PER_PAGE}`,
  ).all(
    after?.started_at ?? Number.NEGATIVE_INFINITY,
    after?.id ?? "",
    query.source ?? null,
    query.source ?? null,
  ) as SessionRow[];
  return rows.map((row) => withMessages(db, row));
});

/** Includes undone messages, so that an import restores the same history. */
function withMessages(db: Database, session: SessionRow): ExportedSession {
  const messages = storedMessages(db, session.id, { includeUndone: true }).map((row) => ({
    ...row,
    content: decodeContentExactly(row.content),
    tool_calls: decodeExactly(row.tool_calls),
  }));
  return { ...session, last_active: lastActive(db, session), messages: messages as MessageRow[] };
}

export interface ImportOutcome {
  imported: number;
  skipped: number;
  /** Children whose parent hasn't been imported yet. */
  orphans: { id: SessionId; parent: SessionId }[];
}

export const importBatch = write(function importBatch(
  db: Database,
  sessions: readonly ExportedSession[],
): ImportOutcome {
  const outcome: ImportOutcome = { imported: 0, skipped: 0, orphans: [] };
  for (const session of sessions) {
    requireShape(session);
    if (getSession(db, session.id)) {
      outcome.skipped += 1;
      continue;
    }
    const parent = session.parent_session_id;
    if (parent !== null && parent !== undefined) outcome.orphans.push({ id: session.id, parent });
    try {
      importOne(db, session);
    } catch (error) {
      throw isRefused(error) ? noSession(session, (error as Error).message) : error;
    }
    outcome.imported += 1;
  }
  outcome.orphans = linkParents(db, outcome.orphans);
  return outcome;
});

/** Returns those still without a parent. */
export const linkParents = write(function linkParents(
  db: Database,
  orphans: ImportOutcome["orphans"],
): ImportOutcome["orphans"] {
  const link = sql(
    db,
    "UPDATE sessions SET parent_session_id = ? WHERE id = ? AND EXISTS (SELECT 1 FROM sessions WHERE id = ?)",
  );
  return orphans.filter(({ id, parent }) => link.run(parent, id, parent).changes === 0);
});

function importOne(db: Database, session: ExportedSession): void {
  const { messages, last_active, ...row } = session;
  const holder = row.title && sql(db, "SELECT 1 FROM sessions WHERE title = ?").get(row.title);
  const title = holder ? freeTitle(db, row.title!) : row.title;
  const { message_count = messages.length, tool_call_count = countToolCalls(messages) } = row;
  insertKnown(db, "sessions", { ...row, title, message_count, tool_call_count, parent_session_id: null });
  for (const message of messages) insertMessage(db, session.id, message);
}

function countToolCalls(messages: readonly MessageRow[]): number {
  return messages.reduce((sum, row) => sum + (decodeJsonList(encodeJson(row.tool_calls))?.length ?? 0), 0);
}

/** Keeps its id if that is free. */
function insertMessage(db: Database, id: SessionId, message: MessageRow): void {
  const taken = message.id !== undefined && sql(db, "SELECT 1 FROM messages WHERE id = ?").get(message.id);
  insertKnown(db, "messages", {
    ...message,
    id: taken ? undefined : message.id,
    session_id: id,
    content: encodeContent(message.content),
    tool_calls: encodeJson(message.tool_calls),
  });
}

/** Keeps all columns except those this file doesn't have. */
function insertKnown(db: Database, table: "sessions" | "messages", row: Record<string, unknown>): void {
  const columns = columnsOf(db, table).filter((column) => row[column] !== undefined);
  const odd = columns.find((column) => !isStorable(row[column]));
  if (odd !== undefined) throw new TypeError(`${table}.${odd} holds neither text nor a number`);
  sql(db, `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`).run(
    ...columns.map((column) => row[column]),
  );
}

function isStorable(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "number";
}

/** Values the table doesn't accept. */
function isRefused(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    /^SQLITE_(CONSTRAINT|MISMATCH)/.test((error as { code?: string }).code ?? "")
  );
}

function columnsOf(db: Database, table: string): string[] {
  return sql(db, "SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];
}

function requireShape(session: ExportedSession): void {
  const sound =
    typeof session?.id === "string" &&
    typeof session.source === "string" &&
    typeof session.started_at === "number" &&
    Array.isArray(session.messages) &&
    session.messages.every((m) => typeof m?.role === "string" && typeof m.timestamp === "number");
  if (!sound) throw noSession(session);
}

function noSession(session: unknown, why = "id, source, start or messages are missing"): HermesError {
  const begin = JSON.stringify(session)?.slice(0, 80);
  return new HermesError("invalid", `Not an exported session: ${begin} (${why})`, {
    hint: "Each line must be one session as `hermes sessions export` writes it.",
  });
}
