import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { Origin } from "../../../message.js";
import type { Heir, Penalty, ValueName } from "../../queues.js";
import { type StoredWait, secondsLeft } from "../../shared/rows.js";
import { getMeta, setMeta } from "../meta.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";
import { inheritChat } from "./inherit.js";
import { dropKey, saveKey } from "./keys.js";
import { mergePerson } from "./merge.js";

/** Small values such as adapters' cursors, chats that move, and penalties. */

export const getValue = read(function getValue(db: Database, name: ValueName): string | undefined {
  if (typeof name === "string") return getMeta(db, name);
  return sql(db, "SELECT value FROM gw_cursors WHERE platform = ? AND account = ? AND name = ?")
    .pluck()
    .get(name.platform, name.account, name.name) as string | undefined;
});

export const setValue = write(function setValue(db: Database, name: ValueName, value: string): void {
  if (typeof name === "string") setMeta(db, name, value);
  else saveCursor(db, name.platform, name.account, name.name, value);
});

export function saveCursor(
  db: Database,
  platform: string,
  account: string,
  name: string,
  value: string,
): void {
  sql(
    db,
    `INSERT INTO gw_cursors (platform, account, name, value) VALUES (?, ?, ?, ?)
     ON CONFLICT (platform, account, name) DO UPDATE SET value = excluded.value`,
  ).run(platform, account, name, value);
}

/** Keys contain ids: replaces every part that names the chat. */
export const moveChat = write(function moveChat(
  db: Database,
  platform: string,
  from: string,
  to: string | Heir | { person: string },
): number {
  if (typeof to === "object" && "person" in to) return mergePerson(db, platform, from, to.person);
  if (typeof to !== "string") return inheritChat(db, platform, from, to);
  const routes = sql(
    db,
    "SELECT session_key AS key, origin, tuple FROM gw_routes WHERE json_extract(origin, '$.platform') = ? AND json_extract(origin, '$.chatId') = ?",
  ).all(platform, from) as { key: string; origin: string; tuple: string }[];
  for (const route of routes) {
    const origin = { ...(JSON.parse(route.origin) as Origin), chatId: to };
    const tuple = JSON.stringify(
      (JSON.parse(route.tuple) as unknown[]).map((part) => (part === from ? to : part)),
    );
    const key = route.key
      .split(":")
      .map((part) => (part === from || part.startsWith(`${from}~`) ? to + part.slice(from.length) : part))
      .join(":");
    sql(
      db,
      "UPDATE OR REPLACE gw_routes SET session_key = ?, origin = ?, tuple = ? WHERE session_key = ?",
    ).run(key, JSON.stringify(origin), tuple, route.key);
    sql(
      db,
      "UPDATE gw_inbox SET session_key = ?, chat_id = ? WHERE session_key = ? AND state = 'waiting'",
    ).run(key, to, route.key);
    sql(db, "UPDATE gw_message_changes SET session_key = ? WHERE session_key = ?").run(key, route.key);
    dropKey(db, route.key);
    saveKey(db, key, tuple);
  }
  // Message ids of the old chat refer to other messages in the new one.
  sql(
    db,
    `UPDATE gw_outbox
     SET chat_id = @to, target = json_set(target, '$.chatId', @to, '$.replyTo', NULL), replaces = NULL
     WHERE platform = @platform AND chat_id = @from AND state IN ('pending', 'unknown')`,
  ).run({ to, from, platform });
  sql(
    db,
    `UPDATE gw_schedules SET target = json_set(target, '$.chatId', @to)
     WHERE json_valid(target) AND target ->> '$.platform' = @platform AND target ->> '$.chatId' = @from`,
  ).run({ to, from, platform });
  sql(db, "UPDATE gw_rooms SET chat_id = @to WHERE platform = @platform AND chat_id = @from").run({
    to,
    from,
    platform,
  });
  return routes.length;
});

export function savePenalty(db: Database, { platform, account, chatId, seconds }: Penalty): void {
  const now = nowSeconds();
  sql(db, "DELETE FROM gw_penalties WHERE until < ?").run(now);
  sql(
    db,
    `INSERT INTO gw_penalties (platform, account, chat_id, until, set_at) VALUES (@platform, @account, @chatId, @until, @now)
     ON CONFLICT (platform, account, chat_id) DO UPDATE SET until = excluded.until, set_at = excluded.set_at
       WHERE until < excluded.until OR set_at > @now`,
  ).run({ platform, account, chatId, until: now + seconds, now });
}

export function openPenalties(db: Database): Penalty[] {
  const now = nowSeconds();
  const rows = sql(
    db,
    `SELECT platform, account, chat_id AS chatId, until AS not_before, set_at AS wait_set_at
     FROM gw_penalties WHERE until > ?`,
  ).all(now) as (Omit<Penalty, "seconds"> & StoredWait)[];
  return rows.map(({ not_before, wait_set_at, ...whose }) => ({
    ...whose,
    seconds: secondsLeft({ not_before, wait_set_at }, now),
  }));
}
