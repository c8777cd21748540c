import type { Database } from "better-sqlite3";
import type { Origin } from "../../../message.js";
import type { SessionKey } from "../../../session.js";
import { noteRoutesChanged } from "../meta.js";
import { sql } from "../statements.js";
import { dropKey, saveKey } from "./keys.js";

/** Merges one person into another: chats, sessions, queue rows, records. */
export function mergePerson(db: Database, platform: string, from: string, to: string): number {
  const people = { platform, from, to };
  const moved = moveRoutes(db, people);
  for (const table of ["gw_inbox", "gw_outbox"]) moveRows(db, table, people);
  sql(db, "UPDATE sessions SET user_id = @to WHERE user_id = @from AND source = @platform").run(people);
  for (const table of ["gw_participants", "gw_authors", "gw_tool_calls"])
    sql(
      db,
      `UPDATE OR REPLACE ${table} SET user_id = @to WHERE user_id = @from AND platform = @platform`,
    ).run(people);
  sql(db, "UPDATE gw_records SET owner = @to WHERE owner = @from AND platform = @platform").run(people);
  sql(
    db,
    `UPDATE gw_schedules SET target = json_set(target, '$.chatId', @to, '$.userId', @to)
     WHERE json_valid(target) AND target ->> '$.platform' = @platform AND target ->> '$.chatId' = @from`,
  ).run(people);
  sql(
    db,
    `UPDATE gw_schedules SET maker = json_set(maker, '$.userId', @to)
     WHERE json_valid(maker) AND maker ->> '$.platform' = @platform AND maker ->> '$.userId' = @from`,
  ).run(people);
  noteRoutesChanged(db);
  return moved;
}

interface People {
  platform: string;
  from: string;
  to: string;
}

/** If both have the same chat, the other one's session stays; this one's session is left without a chat. */
function moveRoutes(db: Database, { platform, from, to }: People): number {
  const routes = sql(
    db,
    `SELECT session_key AS key, origin, tuple FROM gw_routes
     WHERE origin ->> '$.platform' = ? AND origin ->> '$.chatType' = 'dm' AND origin ->> '$.chatId' = ?`,
  ).all(platform, from) as { key: SessionKey; origin: string; tuple: string }[];
  const taken = sql(db, "SELECT 1 FROM gw_routes WHERE session_key = ?");
  for (const { key, origin: stored, tuple } of routes) {
    dropKey(db, key);
    const moved = keyFor(key, from, to);
    if (taken.get(moved) !== undefined) {
      sql(db, "DELETE FROM gw_routes WHERE session_key = ?").run(key);
      continue;
    }
    const origin = { ...(JSON.parse(stored) as Origin), chatId: to, userId: to };
    const parts = (JSON.parse(tuple) as unknown[]).map((part) => (part === from ? to : part));
    sql(
      db,
      "UPDATE gw_routes SET session_key = ?, origin = ?, tuple = ?, epoch = epoch + 1 WHERE session_key = ?",
    ).run(moved, JSON.stringify(origin), JSON.stringify(parts), key);
    saveKey(db, moved, JSON.stringify(parts));
  }
  return routes.length;
}

/** Moves their log and waiting rows. Running turns keep theirs and end under the old name. */
function moveRows(db: Database, table: string, { platform, from, to }: People): void {
  const [payload, prefix] = table === "gw_inbox" ? ["payload", "$.origin."] : ["target", "$."];
  const keys = sql(
    db,
    `SELECT DISTINCT session_key FROM ${table} WHERE platform = ? AND chat_id = ? AND session_key IS NOT NULL`,
  )
    .pluck()
    .all(platform, from) as SessionKey[];
  sql(
    db,
    `UPDATE ${table} SET chat_id = @to, ${payload} = json_set(${payload}, '${prefix}chatId', @to, '${prefix}userId', @to)
     WHERE platform = @platform AND chat_id = @from AND state <> 'running'`,
  ).run({ platform, from, to });
  for (const key of keys)
    for (const one of [table, "gw_message_changes", "gw_questions", "gw_tool_calls"])
      sql(db, `UPDATE ${one} SET session_key = ? WHERE session_key = ?`).run(keyFor(key, from, to), key);
}

function keyFor(key: SessionKey, from: string, to: string): SessionKey {
  return key
    .split(":")
    .map((part) => (part === from ? to : part))
    .join(":");
}
