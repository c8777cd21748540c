import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import { sql } from "../statements.js";
import { OPEN_IN, OPEN_OUT } from "./schema.js";

/**
 * Delays are stored as their end (`not_before`) and when they were set (`wait_set_at`). A delay set in the
 * future means the clock was set back: it restarts now with its full length.
 */

/** The longest delay after a failure. Delays of earlier versions, which lack `wait_set_at`, are cut to it. */
const MAX_PAUSE_SECONDS = 300;
/** No delay is longer: a message is dead by then. */
const MAX_WAIT_SECONDS = 86_400;
/** How many rows are checked: those that have waited longest. */
const MAX_LOOKED_AT = 1000;

const INBOX = { table: "gw_inbox", open: `state = 'waiting' AND ${OPEN_IN}` };
const QUESTIONS = { table: "gw_questions", open: "state = 'open'" };
const OUTBOX = { table: "gw_outbox", open: `state = 'pending' AND ${OPEN_OUT}` };

/** Those that were set in the future, after the clock was set back. Returns how many. */
export function restartWaits(db: Database): number {
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
}

/** Rows with an impossible delay: set in the future, or longer than any valid delay. */
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
