import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import { sql } from "../statements.js";
import { write } from "../verb.js";
import { OPEN_IN, OPEN_OUT } from "./schema.js";

/**
 * Waits are stored as their end (`not_before`) and the moment they were set (`wait_set_at`). One that was set in the
 * future shows that the clock was set back since: it starts again now with its full length.
 */

/** The longest pause after a failure. Waits of earlier versions, which lack the moment, are cut to it. */
const MAX_PAUSE_SECONDS = 300;
/** No wait is longer: by then a message is given up. */
const MAX_WAIT_SECONDS = 86_400;
/** The rows that are looked at: those that have waited longest. */
const MAX_LOOKED_AT = 1000;

const INBOX = { table: "gw_inbox", open: `state = 'waiting' AND ${OPEN_IN}` };
const QUESTIONS = { table: "gw_questions", open: "state = 'open'" };
const OUTBOX = { table: "gw_outbox", open: `state = 'pending' AND ${OPEN_OUT}` };

export const restartWaits = write(function restartWaits(db: Database): number {
  const now = nowSeconds();
  const restarted = [INBOX, OUTBOX, QUESTIONS].map(
    ({ table, open }) =>
      sql(
        db,
        `UPDATE ${table} SET wait_set_at = @now, not_before = CASE WHEN wait_set_at IS NULL
         THEN min(not_before, @now + ${MAX_PAUSE_SECONDS}) ELSE @now + not_before - wait_set_at END
       WHERE ${open} AND not_before > @now AND (wait_set_at IS NULL OR wait_set_at > @now)`,
      ).run({ now }).changes,
  );
  const penalties = sql(
    db,
    `UPDATE gw_penalties SET set_at = @now, until = @now + until - COALESCE(set_at, @now)
     WHERE until > @now AND (set_at IS NULL OR set_at > @now)`,
  ).run({ now }).changes;
  return restarted.reduce((sum, count) => sum + count, penalties);
});

/** Rows whose wait can't be right: it was set in the future, or ends later than any wait does. */
export function misdatedWaits(db: Database): number {
  const now = nowSeconds();
  const counts = [INBOX, OUTBOX].map(
    ({ table, open }) =>
      sql(
        db,
        `SELECT count(*) FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${open} ORDER BY id LIMIT ${MAX_LOOKED_AT})
           AND not_before > @now AND (wait_set_at > @now OR (wait_set_at IS NULL AND not_before > @now + ${MAX_WAIT_SECONDS}))`,
      )
        .pluck()
        .get({ now }) as number,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
