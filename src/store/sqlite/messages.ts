import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { MessageRow, NewMessage, SessionId } from "../../session.js";
import {
  decodeContent,
  decodeJsonList,
  encodeContent,
  encodeJson,
  plainText,
  type StoredConversation,
} from "../shared/content.js";
import type { MessageQuery } from "../store.js";
import { requireSession } from "./sessions.js";
import { sql } from "./statements.js";
import { read, write } from "./verb.js";

const COLUMNS = [
  "session_id",
  "role",
  "content",
  "tool_call_id",
  "tool_calls",
  "tool_name",
  "timestamp",
  "token_count",
  "finish_reason",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "codex_reasoning_items",
  "codex_message_items",
  "platform_message_id",
  "observed",
  "active",
] as const;
/** FTS5 flushes its index with every statement, so a statement that stores several messages is several times faster. */
const MAX_ROWS = 16;
const ROW = `(${COLUMNS.map(() => "?").join(", ")})`;
/** For one row, for two, and so on. */
const INSERTS = Array.from(
  { length: MAX_ROWS },
  (_, i) =>
    `INSERT INTO messages (${COLUMNS.join(", ")}) VALUES ${Array(i + 1)
      .fill(ROW)
      .join(", ")} RETURNING id`,
);

const MICROSECOND = 1e-6;

export const appendMessages = write(function appendMessages(
  db: Database,
  id: SessionId,
  messages: readonly NewMessage[],
): number[] {
  const toolCalls = messages.reduce((sum, { tool_calls }) => sum + (tool_calls?.length ?? 0), 0);
  const counted = sql(
    db,
    "UPDATE sessions SET message_count = message_count + ?, tool_call_count = tool_call_count + ? WHERE id = ?",
  ).run(messages.length, toolCalls, id).changes;
  if (counted === 0) throw new HermesError("not_found", `Session '${id}' not found.`);
  const now = nowSeconds();
  // Messages of one call keep their order even if readers sort by time.
  const rows = messages.map((message, i) => toRow(id, message, now + i * MICROSECOND));
  const ids: number[] = [];
  for (let from = 0; from < rows.length; from += MAX_ROWS) {
    const some = rows.slice(from, from + MAX_ROWS);
    const added = sql(db, INSERTS[some.length - 1]!)
      .pluck()
      .all(...some.flat());
    // SQLite doesn't promise the order of returned rows. Ids grow.
    ids.push(...(added as number[]).sort((a, b) => a - b));
  }
  return ids;
});

function toRow(id: SessionId, message: NewMessage, now: number): unknown[] {
  return [
    id,
    message.role,
    encodeContent(message.content),
    message.tool_call_id ?? null,
    encodeJson(message.tool_calls),
    message.tool_name ?? null,
    message.timestamp ?? now,
    message.token_count ?? null,
    message.finish_reason ?? null,
    message.reasoning ?? null,
    message.reasoning_content ?? null,
    encodeJson(message.reasoning_details),
    encodeJson(message.codex_reasoning_items),
    encodeJson(message.codex_message_items),
    message.platform_message_id ?? null,
    message.observed ?? 0,
    message.active ?? 1,
  ];
}

/** A row as stored. */
export type StoredMessage = Omit<MessageRow, "content" | "tool_calls"> & {
  content: string | null;
  tool_calls: string | null;
};

export function storedMessages(db: Database, id: SessionId, query: MessageQuery = {}): StoredMessage[] {
  const active = query.includeUndone ? "" : "AND active = 1";
  const only = query.ids ? "AND id IN (SELECT value FROM json_each(@ids))" : "";
  const ids = JSON.stringify(query.ids ?? []);
  return sql(
    db,
    `SELECT * FROM messages WHERE session_id = @id ${only} ${active} ORDER BY id LIMIT @limit`,
  ).all({ id, ids, limit: query.limit ?? -1 }) as StoredMessage[];
}

export const getMessages = read(function getMessages(
  db: Database,
  id: SessionId,
  query: MessageQuery = {},
): MessageRow[] {
  return storedMessages(db, id, query).map((row) => ({
    ...row,
    content: decodeContent(row.content),
    tool_calls: decodeJsonList(row.tool_calls),
  })) as MessageRow[];
});

/**
 * In insertion order, because times may come from platforms' clocks. Looks up the ids first, so that SQLite
 * sorts ids instead of whole rows. The caller's thread converts the rows: `toConversation`.
 */
export const getConversation = read(function getConversation(
  db: Database,
  id: SessionId,
): StoredConversation {
  const rows = sql(
    db,
    `SELECT role, content, tool_calls, tool_call_id, tool_name, platform_message_id FROM messages
     WHERE id IN (SELECT id FROM messages WHERE session_id = ?)
       AND active = 1 AND role NOT IN ('session_meta', 'system') ORDER BY id`,
  )
    .raw()
    .all(id) as [string, ...(string | null)[]][];
  const column = (i: number) => rows.map((row) => row[i] ?? null);
  return {
    role: rows.map(([role]) => role),
    content: column(1).map(decodeContent),
    toolCalls: column(2),
    toolCallId: column(3),
    toolName: column(4),
    messageId: column(5),
  };
});

export const undoTurns = write(function undoTurns(
  db: Database,
  id: SessionId,
  turns = 1,
): { undone: number; texts: string[] } {
  requireSession(db, id);
  const users = sql(
    db,
    `SELECT id, content FROM messages WHERE session_id = ? AND role = 'user' AND active = 1 ORDER BY id DESC LIMIT ?`,
  ).all(id, Math.max(0, turns)) as { id: number; content: string | null }[];
  const first = users.at(-1);
  if (!first) return { undone: 0, texts: [] };
  sql(db, "UPDATE messages SET active = 0 WHERE session_id = ? AND id >= ? AND active = 1").run(id, first.id);
  sql(db, "UPDATE sessions SET rewind_count = rewind_count + 1 WHERE id = ?").run(id);
  // A summary in progress has read the undone messages and must not bring them back.
  sql(db, "UPDATE gw_routes SET epoch = epoch + 1 WHERE session_id = ?").run(id);
  return { undone: users.length, texts: users.map((u) => plainText(decodeContent(u.content))).reverse() };
});
