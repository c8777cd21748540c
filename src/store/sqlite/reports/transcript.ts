import type { Database } from "better-sqlite3";
import type { Content, SessionId } from "../../../session.js";
import type { ShownMessage, TranscriptPage, TranscriptQuery } from "../../reports.js";
import { decodeContent, decodeJsonList } from "../../shared/content.js";
import type { StoredMessage } from "../messages.js";
import { requireSession } from "../sessions.js";
import { sql } from "../statements.js";
import { longRead } from "../verb.js";

const LIMIT = 50;
const MAX_LIMIT = 200;
/** How much of a message a page shows; the rest is loaded on demand. */
const MAX_TEXT = 6000;

export const readTranscript = longRead(function readTranscript(
  db: Database,
  of: SessionId | { messageId: number },
  query: TranscriptQuery = {},
): TranscriptPage {
  if (typeof of !== "string") return inFull(db, of.messageId);
  const id = of;
  requireSession(db, id);
  const limit = Math.min(query.limit ?? LIMIT, MAX_LIMIT);
  const ids = idsOf(db, id, query, limit);
  const [first, last] = [ids.at(0), ids.at(-1)];
  return {
    messages: ids.map((one) =>
      toShown(storedMessage(db, one)!, query.whole ? Number.POSITIVE_INFINITY : MAX_TEXT),
    ),
    earlier: first !== undefined && idsBefore(db, id, first, 1).length > 0,
    later: last !== undefined && idsAfter(db, id, last, 1).length > 0,
  };
});

function inFull(db: Database, messageId: number): TranscriptPage {
  const row = storedMessage(db, messageId);
  const messages = row ? [toShown(row, Number.POSITIVE_INFINITY)] : [];
  return { messages, earlier: false, later: false };
}

/** The newest page by default. */
function idsOf(db: Database, id: SessionId, query: TranscriptQuery, limit: number): number[] {
  if (query.after !== undefined) return idsAfter(db, id, query.after, limit);
  if (query.around === undefined)
    return idsBefore(db, id, query.before ?? Number.MAX_SAFE_INTEGER, limit).reverse();
  const earlier = idsBefore(db, id, query.around, Math.floor(limit / 2)).reverse();
  return [...earlier, ...idsAfter(db, id, query.around - 1, limit - earlier.length)];
}

/** Selects only ids first, from an index: sorting whole messages for one page would be expensive. */
function idsBefore(db: Database, id: SessionId, before: number, limit: number): number[] {
  return sql(db, "SELECT id FROM messages WHERE session_id = ? AND +id < ? ORDER BY id DESC LIMIT ?")
    .pluck()
    .all(id, before, limit) as number[];
}

function idsAfter(db: Database, id: SessionId, after: number, limit: number): number[] {
  return sql(db, "SELECT id FROM messages WHERE session_id = ? AND +id > ? ORDER BY id LIMIT ?")
    .pluck()
    .all(id, after, limit) as number[];
}

function storedMessage(db: Database, id: number): StoredMessage | undefined {
  return sql(db, "SELECT * FROM messages WHERE id = ?").get(id) as StoredMessage | undefined;
}

/** One message, for other reports; undefined if it is gone or undone. */
export function shownMessage(db: Database, id: number, maxText: number): ShownMessage | undefined {
  const row = storedMessage(db, id);
  return row && row.active !== 0 ? toShown(row, maxText) : undefined;
}

function toShown(row: StoredMessage, textMax: number): ShownMessage {
  const { text, media } = partsOf(decodeContent(row.content));
  const reasoning = row.reasoning ?? row.reasoning_content;
  return {
    id: row.id,
    sessionId: row.session_id,
    role: row.role,
    text: cut(text, textMax),
    cut: text.length > textMax,
    media,
    toolCalls: (decodeJsonList(row.tool_calls) ?? []).map((call) => toolCall(call, textMax)),
    toolName: row.tool_name,
    toolCallId: row.tool_call_id,
    reasoning: reasoning && cut(reasoning, textMax),
    finishReason: row.finish_reason,
    platformMessageId: row.platform_message_id,
    at: row.timestamp,
    undone: row.active === 0,
  };
}

function partsOf(content: Content): { text: string; media: number } {
  if (content === null || typeof content === "string") return { text: content ?? "", media: 0 };
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.flatMap((part) => {
    const text = typeof part === "string" ? part : (part as { text?: unknown } | null)?.text;
    return typeof text === "string" ? [text] : [];
  });
  return { text: texts.join("\n"), media: parts.length - texts.length };
}

/** Parses OpenAI's format, as Hermes writes it; shows anything else unchanged. */
function toolCall(call: unknown, textMax: number): ShownMessage["toolCalls"][number] {
  const { id, name, function: called, ...rest } = (call ?? {}) as Record<string, unknown>;
  const { name: itsName = name, arguments: given = rest } = (called ?? {}) as Record<string, unknown>;
  return {
    id: typeof id === "string" ? id : null,
    name: typeof itsName === "string" ? itsName : "tool",
    arguments: cut(typeof given === "string" ? given : JSON.stringify(given), textMax),
  };
}

/** Never between the halves of a surrogate pair. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\ud800-\udbff]/.test(text[max - 1]!) ? max - 1 : max;
  return text.slice(0, end);
}
