import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { SessionKey } from "../../../session.js";
import type {
  AcceptedMessage,
  Cancelled,
  InboxRow,
  InboxState,
  KeyGuard,
  MessageStart,
  Owners,
  SettledMessage,
} from "../../queues.js";
import { ownerOf } from "../../shared/owner.js";
import { newWait, type StoredInbox, toInboxRow } from "../../shared/rows.js";
import { marks, sql } from "../statements.js";
import { read, write } from "../verb.js";
import { recordCutOff } from "./attempts.js";
import { takeKey } from "./keys.js";
import { addReply } from "./outbox.js";
import { ownedBy } from "./owned.js";
import { saveCursor } from "./platforms.js";
import { getRoute } from "./routes.js";
import { startRun } from "./schedules.js";
import { OPEN_IN } from "./schema.js";
import { dropSteps } from "./steps.js";

/** The unique key deduplicates: a redelivered event adds nothing. */
export const acceptMessages = write(function acceptMessages(
  db: Database,
  messages: readonly AcceptedMessage[],
): InboxRow[] {
  const insert = sql(
    db,
    `INSERT INTO gw_inbox (platform, account, event_id, session_key, chat_id, payload, received_at, owner)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (platform, account, event_id) DO NOTHING RETURNING *`,
  );
  return messages.flatMap(({ message, sessionKey: plain, receivedAt, cursor, guard }) => {
    const { platform, account, eventId, origin } = message;
    const sessionKey = guard ? guardedBy(db, plain, guard) : plain;
    const row = insert.get(
      platform,
      account,
      eventId,
      sessionKey,
      origin.chatId,
      JSON.stringify(message),
      receivedAt,
      ownerOf(platform, account),
    );
    if (cursor) saveCursor(db, platform, account, cursor.name, cursor.value);
    const stored = row as StoredInbox | undefined;
    if (message.task?.run) startRun(db, message.task.run, stored?.id);
    return stored ? [{ ...toInboxRow(stored), route: getRoute(db, sessionKey) ?? null }] : [];
  });
});

/** The first chat that gets a key keeps it. */
function guardedBy(db: Database, key: SessionKey, { tuple, otherKey }: KeyGuard): SessionKey {
  if (takeKey(db, key, tuple)) return key;
  takeKey(db, otherKey, tuple);
  return otherKey;
}

/** A message accepted earlier that is still waiting. */
function waitingEvent(db: Database, { message }: AcceptedMessage): InboxRow | undefined {
  const { platform, account, eventId } = message;
  const row = sql(
    db,
    "SELECT * FROM gw_inbox WHERE platform = ? AND account = ? AND event_id = ? AND state = 'waiting'",
  ).get(platform, account, eventId) as StoredInbox | undefined;
  return row && toInboxRow(row);
}

/** Commands aren't turns. */
export const openMessages = read(function openMessages(
  db: Database,
  which: { owners?: Owners | undefined } | { runningUnder: string } = {},
): InboxRow[] {
  if ("runningUnder" in which) {
    const running = sql(
      db,
      `SELECT * FROM gw_inbox WHERE state = 'running' AND ${OPEN_IN} AND boot_id = ? AND reason IS NULL
         AND turn_id IS NOT NULL ORDER BY id`,
    ).all(which.runningUnder) as StoredInbox[];
    return running.map(toInboxRow);
  }
  const { condition, values } = ownedBy(which.owners);
  const rows = sql(
    db,
    `SELECT * FROM gw_inbox WHERE state = 'waiting' AND ${OPEN_IN} AND ${condition} ORDER BY id`,
  ).all(...values) as StoredInbox[];
  return rows.map(toInboxRow);
});

export const cancelMessages = write(function cancelMessages(
  db: Database,
  which: Cancelled,
): { cancelled: number; rows: InboxRow[] } {
  if ("dead" in which) return { cancelled: discardDead(db, which.dead), rows: [] };
  const rows = cancelWaiting(db, which.sessionKey, which.reason, which.before);
  return { cancelled: rows.length, rows };
});

function cancelWaiting(db: Database, key: SessionKey, reason: string, before?: number): InboxRow[] {
  const rows = sql(
    db,
    `UPDATE gw_inbox SET state = 'cancelled', reason = ?, finished_at = ?
     WHERE session_key = ? AND state = 'waiting' AND id < ? RETURNING *`,
  ).all(reason, nowSeconds(), key, before ?? Number.MAX_SAFE_INTEGER) as StoredInbox[];
  for (const { turn_id } of rows) if (turn_id !== null) dropSteps(db, turn_id);
  return rows.map(toInboxRow);
}

function discardDead(db: Database, ids: readonly string[]): number {
  let discarded = 0;
  for (const id of ids) {
    const [, queue, number] = /^(in|out):(\d+)$/.exec(id) ?? [];
    if (queue === "in") {
      discarded += sql(
        db,
        `UPDATE gw_inbox SET state = 'cancelled', reason = 'discarded', finished_at = ? WHERE state = 'dead' AND id = ?`,
      ).run(nowSeconds(), Number(number)).changes;
    } else if (queue === "out") {
      discarded += sql(db, "DELETE FROM gw_outbox WHERE state IN ('dead', 'unknown') AND id = ?").run(
        Number(number),
      ).changes;
    }
  }
  return discarded;
}

export const startMessage = write(function startMessage(
  db: Database,
  start: MessageStart,
): number | undefined {
  const { inboxId, bootId } = start;
  const as =
    "command" in start
      ? { reason: `/${start.command}`, turnId: null, sessionId: null }
      : { reason: null, turnId: start.turnId, sessionId: start.sessionId };
  const attempts = sql(
    db,
    `UPDATE gw_inbox SET state = 'running', attempts = attempts + 1, started_at = @now, boot_id = @bootId,
       reason = COALESCE(@reason, reason), turn_id = COALESCE(@turnId, turn_id), session_id = COALESCE(@sessionId, session_id)
     WHERE id = @inboxId AND state = 'waiting' RETURNING attempts`,
  ).pluck();
  const repeated = sql(
    db,
    "SELECT attempts FROM gw_inbox WHERE id = ? AND state = 'running' AND turn_id = ?",
  ).pluck();
  const now = nowSeconds();
  return (attempts.get({ ...as, inboxId, bootId, now }) ?? repeated.get(inboxId, as.turnId)) as
    | number
    | undefined;
});

export const settleMessage = write(function settleMessage(
  db: Database,
  settled: SettledMessage,
): InboxRow | undefined {
  const { inboxId, state, reason, replies, follow } = settled;
  const changed = sql(
    db,
    "UPDATE gw_inbox SET state = ?, reason = ?, finished_at = ? WHERE id = ? AND state IN ('waiting', 'running')",
  ).run(state, reason, nowSeconds(), inboxId).changes;
  // Its replies are already stored.
  if (changed === 0) return follow && waitingEvent(db, follow);
  for (const [part, reply] of replies.entries())
    addReply(db, reply, { inboxId, nonce: `m${inboxId}.${part}` });
  return follow && acceptMessages(db, [follow])[0];
});

/** Rows that ran under an older boot become waiting again or dead. */
export function recoverInbox(
  db: Database,
  bootId: string,
  maxAttempts: number,
  owners?: Owners,
): { waiting: number; dead: InboxRow[]; interrupted: InboxRow[] } {
  const owned = ownedBy(owners);
  const { condition, values } = owned;
  const interrupted = sql(
    db,
    `UPDATE gw_inbox SET state = 'done', finished_at = ?, error = 'the gateway died in this command'
     WHERE state = 'running' AND ${OPEN_IN} AND boot_id IS NOT ? AND reason LIKE '/%' AND ${condition} RETURNING *`,
  ).all(nowSeconds(), bootId, ...values) as StoredInbox[];
  recordCutOff(db, bootId, owned);
  // A turn with steps starts once more, to store them.
  const dead = sql(
    db,
    `UPDATE gw_inbox SET state = 'dead', finished_at = ?, error = COALESCE(error, 'the gateway crashed during the turn')
     WHERE state = 'running' AND ${OPEN_IN} AND boot_id IS NOT ? AND attempts >= ? AND ${condition}
       AND NOT EXISTS (SELECT 1 FROM gw_steps s WHERE s.turn_id = gw_inbox.turn_id) RETURNING *`,
  ).all(nowSeconds(), bootId, maxAttempts, ...values) as StoredInbox[];
  const waiting = sql(
    db,
    `UPDATE gw_inbox SET state = 'waiting', boot_id = NULL
     WHERE state = 'running' AND ${OPEN_IN} AND boot_id IS NOT ? AND ${condition}`,
  ).run(bootId, ...values).changes;
  return { waiting, dead: dead.map(toInboxRow), interrupted: interrupted.map(toInboxRow) };
}

export function finishInbox(
  db: Database,
  ids: readonly number[],
  change: { state: InboxState; waitSeconds?: number; error?: string; uncounted?: boolean },
): void {
  const finished = change.state === "waiting" ? null : nowSeconds();
  const { notBefore, setAt } = newWait(change.waitSeconds ?? 0);
  // Messages that joined a running turn are still in state waiting.
  sql(
    db,
    `UPDATE gw_inbox SET state = ?, not_before = ?, wait_set_at = ?, error = ?, finished_at = ?, attempts = max(attempts - ?, 0)
     WHERE id IN (${marks(ids)}) AND state IN ('running', 'waiting')`,
  ).run(change.state, notBefore, setAt, change.error ?? null, finished, change.uncounted ? 1 : 0, ...ids);
}
