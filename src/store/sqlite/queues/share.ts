import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { Heir, Share } from "../../queues.js";
import { sql } from "../statements.js";

/** Rows of a share, as a condition and its values. */
export function within({ only, except }: Share = {}, alias = ""): { condition: string; values: string[] } {
  if (only)
    return {
      condition: `${alias}platform = ? AND ${alias}account = ?`,
      values: [only.platform, only.account],
    };
  if (except !== undefined) return { condition: `${alias}platform <> ?`, values: [except] };
  return { condition: "1", values: [] };
}

/** Whoever left it may still be there: then its turn finds out by the epoch, as any turn does that was overtaken. */
export function inheritChat(db: Database, platform: string, from: string, { id, sessionKey }: Heir): number {
  // Commands are carried out at most once.
  sql(
    db,
    `UPDATE gw_inbox SET state = 'done', finished_at = ?
     WHERE platform = ? AND account = ? AND state = 'running' AND reason LIKE '/%'`,
  ).run(nowSeconds(), platform, from);
  const messages = sql(
    db,
    `UPDATE gw_inbox SET account = @id, chat_id = @id, session_key = @key, state = 'waiting', boot_id = NULL,
       payload = json_set(payload, '$.account', @id, '$.origin.chatId', @id)
     WHERE platform = @platform AND account = @from AND state IN ('waiting', 'running')`,
  ).run({ platform, from, id, key: sessionKey }).changes;
  sql(
    db,
    `UPDATE gw_outbox SET account = @id, chat_id = @id, state = 'pending', not_before = 0,
       target = json_set(target, '$.account', @id, '$.chatId', @id)
     WHERE platform = @platform AND account = @from AND state IN ('pending', 'sending', 'unknown')`,
  ).run({ platform, from, id });
  return messages;
}
