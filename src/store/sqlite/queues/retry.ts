import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { SessionKey } from "../../../session.js";
import type { InboxRow, Retried } from "../../queues.js";
import { type StoredInbox, toInboxRow } from "../../shared/rows.js";
import { sql } from "../statements.js";
import { write } from "../verb.js";
import { getRoute } from "./routes.js";
import { IS_TOLD, OPEN_IN, OPEN_OUT } from "./schema.js";
import { restartWaits } from "./waits.js";

/** Retries rows that are dead, stopped or delayed. */
export const retry = write(function retry(
  db: Database,
  which: Retried,
): { retried: number; rows: InboxRow[] } {
  if (which === "misdated") return { retried: restartWaits(db), rows: [] };
  if ("platform" in which) return { retried: sendNow(db, which), rows: [] };
  if (!("sessionKey" in which)) return { retried: retryDead(db, which.id), rows: [] };
  const rows = askAgain(db, which.sessionKey);
  return { retried: rows.length, rows };
});

/** A message without an account goes to the platform's first bot. */
function sendNow(db: Database, { platform, account }: { platform: string; account: string }): number {
  return sql(
    db,
    `UPDATE gw_outbox SET not_before = 0, wait_set_at = NULL
     WHERE state = 'pending' AND ${OPEN_OUT} AND not_before > ? AND platform = ? AND account IN (?, '')`,
  ).run(nowSeconds(), platform, account).changes;
}

function retryDead(db: Database, id?: string): number {
  const [, queue, number] = /^(in|out):(\d+)$/.exec(id ?? "") ?? [];
  if (id !== undefined && number === undefined) return 0;
  const only = number === undefined ? null : Number(number);
  let retried = 0;
  if (queue !== "out") {
    retried += sql(
      db,
      `UPDATE gw_inbox SET state = 'waiting', attempts = 0, not_before = 0, finished_at = NULL
       WHERE state = 'dead' AND ${OPEN_IN} AND iif(@only IS NULL, NOT ${IS_TOLD}, id = @only)`,
    ).run({ only }).changes;
  }
  if (queue !== "in") {
    retried += sql(
      db,
      `UPDATE gw_outbox SET state = 'pending', attempts = 0, not_before = 0, may_be_repeat = 1
       WHERE state IN ('dead', 'unknown') AND (? IS NULL OR id = ?)`,
    ).run(only, only).changes;
  }
  return retried;
}

/** Since the chat started using its session, across compressions. */
function askAgain(db: Database, key: SessionKey): InboxRow[] {
  const route = getRoute(db, key);
  if (!route) return [];
  const { platform, chatId } = route.origin;
  const last = sql(
    db,
    `SELECT turn_id FROM gw_inbox WHERE platform = ? AND chat_id IS ? AND session_key = ? AND turn_id IS NOT NULL
       AND started_at >= ? ORDER BY id DESC LIMIT 1`,
  )
    .pluck()
    .get(platform, chatId, key, route.createdAt) as string | undefined;
  if (last === undefined) return [];
  // Rows with another reason can't be retried: they were erased, for example.
  const rows = sql(
    db,
    `UPDATE gw_inbox SET state = 'waiting', attempts = 0, not_before = 0, finished_at = NULL, error = NULL, reason = NULL
     WHERE turn_id = ? AND state IN ('dead', 'cancelled') AND (reason IS NULL OR reason = 'stopped') RETURNING *`,
  ).all(last) as StoredInbox[];
  return rows.map(toInboxRow).toSorted((a, b) => a.id - b.id);
}
