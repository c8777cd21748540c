import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import {
  type AcceptedMessage,
  type AcceptedStart,
  type AcceptedTurn,
  type InboxRow,
  isTakenOver,
  type KnownRoute,
  type RouteRow,
  type StartedTurn,
} from "../../queues.js";
import { sql } from "../statements.js";
import { earlyWrite } from "../verb.js";
import { acceptMessages } from "./inbox.js";
import { begin } from "./turns.js";

export const acceptTurn = earlyWrite(function acceptTurn(
  db: Database,
  accepted: AcceptedMessage,
  start: AcceptedStart,
): AcceptedTurn | undefined {
  const [row] = acceptMessages(db, [accepted]);
  if (!row) return undefined;
  return { row, started: mayStart(db, row, accepted, start) ? startOrWait(db, row, start) : undefined };
});

function mayStart(
  db: Database,
  { id, sessionKey, route }: InboxRow,
  accepted: AcceptedMessage,
  { expected }: AcceptedStart,
): boolean {
  // Another chat has this key, so the caller's route isn't this chat's.
  if (sessionKey !== accepted.sessionKey) return false;
  const known = route ?? undefined;
  if (expected === null ? known !== undefined : !isExpected(known, expected)) return false;
  const older = "SELECT 1 FROM gw_inbox WHERE session_key = ? AND state = 'waiting' AND id <> ? LIMIT 1";
  return sql(db, older).get(sessionKey, id) === undefined;
}

/** The caller found that the session isn't due for a reset. Not every change to that raises the epoch. */
function isExpected(route: RouteRow | undefined, known: KnownRoute): boolean {
  if (route?.epoch !== known.epoch || route.sessionId !== known.sessionId) return false;
  if (isTakenOver(route, nowSeconds())) return false;
  return !route.suspended && route.expiredReason === null && route.lastUserActivity >= known.lastUserActivity;
}

/** If the turn can't start, the message is still accepted; its later attempts report the error. */
function startOrWait(db: Database, row: InboxRow, start: AcceptedStart): StartedTurn | undefined {
  const { bootId, turnId, at, open } = start;
  const { id, sessionKey, route } = row;
  sql(db, "SAVEPOINT start").run();
  try {
    const started = begin(db, { sessionKey, inboxIds: [id], bootId, turnId, at, open }, route ?? undefined);
    sql(db, "RELEASE start").run();
    return started;
  } catch (error) {
    // A full disk or an I/O error ends the whole transaction.
    if (!db.inTransaction) throw error;
    db.exec("ROLLBACK TO start; RELEASE start");
    return undefined;
  }
}
