import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { Heir } from "../../queues.js";
import { ownerOf } from "../../shared/owner.js";
import { sql } from "../statements.js";

/** The previous process may still be running; its turn then fails on the outdated epoch. */
export function inheritChat(db: Database, platform: string, from: string, { id, sessionKey }: Heir): number {
  const owner = ownerOf(platform, id);
  // Commands run at most once.
  sql(
    db,
    `UPDATE gw_inbox SET state = 'done', finished_at = ?
     WHERE platform = ? AND account = ? AND state = 'running' AND reason LIKE '/%'`,
  ).run(nowSeconds(), platform, from);
  const messages = sql(
    db,
    `UPDATE gw_inbox SET account = @id, chat_id = @id, owner = @owner, session_key = @key, state = 'waiting', boot_id = NULL,
       payload = json_set(payload, '$.account', @id, '$.origin.chatId', @id)
     WHERE platform = @platform AND account = @from AND state IN ('waiting', 'running')`,
  ).run({ platform, from, id, owner, key: sessionKey }).changes;
  sql(
    db,
    `UPDATE gw_outbox SET account = @id, chat_id = @id, owner = @owner, state = 'pending', not_before = 0,
       target = json_set(target, '$.account', @id, '$.chatId', @id)
     WHERE platform = @platform AND account = @from AND state IN ('pending', 'sending', 'unknown')`,
  ).run({ platform, from, id, owner });
  return messages;
}
