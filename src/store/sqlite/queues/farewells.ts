import type { Database } from "better-sqlite3";
import type { SessionId } from "../../../session.js";
import { type Farewell, farewellOf } from "../../farewell.js";
import type { RouteRow, Share } from "../../queues.js";
import { sql } from "../statements.js";

/** Noted with the end of the session, so that a crash loses none; forgotten when it was had. */
export function noteFarewell(db: Database, route: RouteRow): void {
  sql(
    db,
    `INSERT OR IGNORE INTO gw_farewells (session_id, session_key, platform, user_id)
     SELECT id, @sessionKey, @platform, @userId FROM sessions WHERE id = @sessionId AND message_count > 0`,
  ).run(farewellOf(route));
}

export function openFarewells(db: Database, { except }: Pick<Share, "except"> = {}): Farewell[] {
  return sql(
    db,
    `SELECT session_id AS sessionId, session_key AS sessionKey, platform, user_id AS userId FROM gw_farewells
     WHERE platform IS NOT ? ORDER BY session_id`,
  ).all(except ?? null) as Farewell[];
}

export function startFarewell(db: Database, id: SessionId): number | undefined {
  return sql(db, "UPDATE gw_farewells SET attempts = attempts + 1 WHERE session_id = ? RETURNING attempts")
    .pluck()
    .get(id) as number | undefined;
}

export function endFarewell(db: Database, id: SessionId): void {
  sql(db, "DELETE FROM gw_farewells WHERE session_id = ?").run(id);
}
