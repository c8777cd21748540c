import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { Backlog, Owners, ReadyRow } from "../../queues.js";
import type { OpenRows } from "../../store.js";
import { sql } from "../statements.js";
import { read } from "../verb.js";
import { OLDER_IN_CHAT } from "./outbox.js";
import { ownedBy } from "./owned.js";
import { OPEN_IN, OPEN_OUT } from "./schema.js";
import { misdatedWaits } from "./waits.js";

/** Counts come from the partial indexes of open rows; the oldest row has the smallest id. */
export const backlog = read(function backlog(db: Database, owners?: Owners): Backlog {
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
    ready: { inbox: readyMessage(db, owners), outbox: readyDelivery(db, owners) },
    misdated: misdatedWaits(db),
  };
});

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

function readyMessage(db: Database, owners: Owners | undefined): ReadyRow | null {
  const { condition, values } = ownedBy(owners, "w.");
  const found = sql(
    db,
    `SELECT id, max(received_at, not_before) AS at FROM gw_inbox w WHERE w.state = 'waiting' AND w.${OPEN_IN}
       AND w.not_before <= ? AND ${condition} AND NOT EXISTS (
         SELECT 1 FROM gw_inbox r WHERE r.state = 'running' AND r.${OPEN_IN} AND r.session_key = w.session_key)
     ORDER BY id LIMIT 1`,
  ).get(nowSeconds(), ...values) as ReadyRow | undefined;
  return found ?? null;
}

function readyDelivery(db: Database, owners: Owners | undefined): ReadyRow | null {
  const { condition, values } = ownedBy(owners, "o.");
  const found = sql(
    db,
    `SELECT id, max(created_at, not_before) AS at FROM gw_outbox o WHERE o.state = 'pending' AND o.${OPEN_OUT}
       AND o.not_before <= ? AND ${condition} AND NOT EXISTS (${OLDER_IN_CHAT}) ORDER BY id LIMIT 1`,
  ).get(nowSeconds(), ...values) as ReadyRow | undefined;
  return found ?? null;
}
