import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { Backlog, Share } from "../../queues.js";
import type { OpenRows } from "../../store.js";
import { sql } from "../statements.js";
import { OPEN_IN, OPEN_OUT } from "./schema.js";
import { within } from "./share.js";

/** Counts come from the indexes of what is open; the oldest is the one with the least id. */
export function backlog(db: Database, share?: Share): Backlog {
  return {
    inbox: {
      waiting: depth(db, INBOX, "waiting"),
      running: depth(db, INBOX, "running"),
      dead: depth(db, INBOX, "dead"),
    },
    outbox: {
      pending: depth(db, OUTBOX, "pending"),
      sending: depth(db, OUTBOX, "sending"),
      unknown: depth(db, OUTBOX, "unknown"),
      dead: depth(db, OUTBOX, "dead"),
    },
    oldestReadyAt: oldestReadyAt(db, share),
  };
}

interface Queue {
  table: string;
  open: string;
  since: string;
}

const INBOX: Queue = { table: "gw_inbox", open: OPEN_IN, since: "received_at" };
const OUTBOX: Queue = { table: "gw_outbox", open: OPEN_OUT, since: "created_at" };

function depth(db: Database, { table, open, since }: Queue, state: string): OpenRows {
  const rows = `FROM ${table} WHERE state = '${state}' AND ${open}`;
  return sql(
    db,
    `SELECT count(*) AS count, (SELECT ${since} ${rows} ORDER BY id LIMIT 1) AS oldestAt ${rows}`,
  ).get() as OpenRows;
}

function oldestReadyAt(db: Database, share: Share | undefined): number | null {
  const { condition, values } = within(share, "w.");
  const found = sql(
    db,
    `SELECT max(received_at, not_before) FROM gw_inbox w WHERE w.state = 'waiting' AND w.${OPEN_IN}
       AND w.not_before <= ? AND ${condition} AND NOT EXISTS (
         SELECT 1 FROM gw_inbox r WHERE r.state = 'running' AND r.${OPEN_IN} AND r.session_key = w.session_key)
     ORDER BY id LIMIT 1`,
  )
    .pluck()
    .get(nowSeconds(), ...values) as number | undefined;
  return found ?? null;
}
