import type { Database } from "better-sqlite3";
import type { SessionKey } from "../../../session.js";
import { sql } from "../statements.js";
import { OPEN_IN } from "./schema.js";

/** Gives a key to the chat with this tuple. False if another chat has it. */
export function takeKey(db: Database, key: SessionKey, tuple: string): boolean {
  const taken = sql(
    db,
    `SELECT COALESCE((SELECT tuple FROM gw_routes WHERE session_key = @key),
       (SELECT tuple FROM gw_keys WHERE session_key = @key))`,
  )
    .pluck()
    .get({ key });
  if (taken === null) saveKey(db, key, tuple);
  return taken === null || taken === tuple;
}

export function saveKey(db: Database, key: SessionKey, tuple: string): void {
  sql(db, "INSERT OR REPLACE INTO gw_keys (session_key, tuple) VALUES (?, ?)").run(key, tuple);
}

/** Deletes the key with its route: one-turn sessions each have their own key. */
export function dropKey(db: Database, key: SessionKey): void {
  sql(db, "DELETE FROM gw_keys WHERE session_key = ?").run(key);
}

/** Keys without a route whose messages are all finished. */
export function pruneKeys(db: Database): void {
  sql(
    db,
    `DELETE FROM gw_keys WHERE session_key NOT IN (SELECT session_key FROM gw_routes)
       AND session_key NOT IN (SELECT session_key FROM gw_inbox WHERE ${OPEN_IN})`,
  ).run();
}
