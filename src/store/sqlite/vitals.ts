import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../clock.js";
import type { OpenRows, Vitals } from "../store.js";
import { OPEN_IN, OPEN_OUT } from "./queues/schema.js";
import { misdatedWaits } from "./queues/waits.js";
import { sql } from "./statements.js";

const DAY_SECONDS = 86_400;

/** Figures that a doctor asks for. Each is answered from an index or a few rows. */
export function vitals(db: Database, retentionDays: number): Vitals {
  const now = nowSeconds();
  return {
    waiting: openRows(db, "gw_inbox", "waiting", "received_at", now),
    running: openRows(db, "gw_inbox", "running", "started_at", now),
    pending: openRows(db, "gw_outbox", "pending", "created_at", now),
    sending: openRows(db, "gw_outbox", "sending", "created_at", now),
    misdated: misdatedWaits(db),
    prunable: sql(db, "SELECT count(*) FROM sessions WHERE ended_at IS NOT NULL AND started_at < ?")
      .pluck()
      .get(now - retentionDays * DAY_SECONDS) as number,
    newestMessageAt:
      (sql(db, "SELECT timestamp FROM messages ORDER BY id DESC LIMIT 1").pluck().get() as
        | number
        | undefined) ?? null,
  };
}

function openRows(
  db: Database,
  table: "gw_inbox" | "gw_outbox",
  state: string,
  since: "received_at" | "started_at" | "created_at",
  now: number,
): OpenRows {
  return sql(
    db,
    `SELECT count(*) AS count, min(CASE WHEN not_before <= @now THEN ${since} END) AS oldestAt
     FROM ${table} WHERE state = '${state}' AND ${table === "gw_inbox" ? OPEN_IN : OPEN_OUT}`,
  ).get({ now }) as OpenRows;
}
