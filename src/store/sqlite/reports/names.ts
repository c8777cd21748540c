import type { Database } from "better-sqlite3";
import { sql } from "../statements.js";

/** Display names of people and chats. Each lookup reads a few rows of an index. */

const first = (db: Database, text: string, ...params: unknown[]) =>
  (sql(db, text)
    .pluck()
    .get(...params) as string | null | undefined) ?? null;

/** From their pairing request, a chat of theirs, or their last message or tool call. */
export function personName(db: Database, platform: string, userId: string): string | null {
  return (
    first(
      db,
      "SELECT user_name FROM gw_pairing WHERE platform = ? AND user_id = ? AND user_name IS NOT NULL LIMIT 1",
      ...[platform, userId],
    ) ??
    first(
      db,
      `SELECT origin ->> '$.userName' FROM gw_routes WHERE session_id IN
         (SELECT id FROM sessions WHERE user_id = ? AND source = ? ORDER BY rowid DESC LIMIT ${MAX_SESSIONS})
       AND origin ->> '$.userName' IS NOT NULL LIMIT 1`,
      ...[userId, platform],
    ) ??
    first(
      db,
      "SELECT user_name FROM gw_authors WHERE platform = ? AND user_id = ? ORDER BY message_id DESC LIMIT 1",
      ...[platform, userId],
    ) ??
    first(
      db,
      "SELECT user_name FROM gw_tool_calls WHERE platform = ? AND user_id = ? ORDER BY seq DESC LIMIT 1",
      ...[platform, userId],
    )
  );
}

const MAX_SESSIONS = 20;

/** From its last message. A direct chat has its person's name. */
export function chatName(db: Database, platform: string, chatId: string | null): string | null {
  if (chatId === null) return null;
  return first(
    db,
    `SELECT CASE WHEN payload ->> '$.origin.chatType' = 'dm' THEN payload ->> '$.origin.userName'
       ELSE payload ->> '$.origin.chatName' END
     FROM gw_inbox WHERE platform = ? AND chat_id = ? ORDER BY id DESC LIMIT 1`,
    ...[platform, chatId],
  );
}

/** `platform:user id` → the person's name. */
export function nameOfSubject(db: Database, subject: string | null): string | null {
  const colon = subject?.indexOf(":") ?? -1;
  return subject && colon > 0 ? personName(db, subject.slice(0, colon), subject.slice(colon + 1)) : null;
}
