import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { InboundMessage } from "../../../message.js";
import type { SessionKey } from "../../../session.js";
import { traceIdOf } from "../../../trace-id.js";
import type { AcceptedMessage, InboxRow, InboxState, SettledMessage, Share } from "../../queues.js";
import { marks, sql } from "../statements.js";
import { addReply } from "./outbox.js";
import { saveCursor } from "./platforms.js";
import { startRun } from "./schedules.js";
import { OPEN_IN } from "./schema.js";
import { within } from "./share.js";
import { newWait, secondsLeft } from "./waits.js";

export interface StoredInbox {
  id: number;
  event_id: string;
  session_key: string;
  payload: string;
  state: InboxState;
  attempts: number;
  not_before: number;
  wait_set_at: number | null;
  received_at: number;
  started_at: number | null;
  finished_at: number | null;
  turn_id: string | null;
  session_id: string | null;
  reason: string | null;
  error: string | null;
  /** JSON list: messages of the session that hold this question, while its failed turn is the last word on it. */
  unanswered_ids: string | null;
}

export function toInboxRow(row: StoredInbox): InboxRow {
  const message = JSON.parse(row.payload) as InboundMessage;
  return {
    id: row.id,
    traceId: traceIdOf(message),
    sessionKey: row.session_key,
    message,
    state: row.state,
    attempts: row.attempts,
    receivedAt: row.received_at,
    waitSeconds: secondsLeft(row),
    turnId: row.turn_id,
    error: row.error,
  };
}

/** The unique key is the deduplication: a platform's second delivery of an event adds nothing. */
export function acceptMessages(db: Database, messages: readonly AcceptedMessage[]): InboxRow[] {
  const insert = sql(
    db,
    `INSERT INTO gw_inbox (platform, account, event_id, session_key, chat_id, payload, received_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (platform, account, event_id) DO NOTHING RETURNING *`,
  );
  return messages.flatMap(({ message, sessionKey, receivedAt, cursor }) => {
    const { platform, account, eventId, origin } = message;
    const row = insert.get(
      platform,
      account,
      eventId,
      sessionKey,
      origin.chatId,
      JSON.stringify(message),
      receivedAt,
    );
    if (cursor) saveCursor(db, platform, account, cursor.name, cursor.value);
    const stored = row as StoredInbox | undefined;
    if (message.errand?.run) startRun(db, message.errand.run, stored?.id);
    return stored ? [toInboxRow(stored)] : [];
  });
}

export function waitingMessages(db: Database, share?: Share): InboxRow[] {
  const { condition, values } = within(share);
  const rows = sql(
    db,
    `SELECT * FROM gw_inbox WHERE state = 'waiting' AND ${OPEN_IN} AND ${condition} ORDER BY id`,
  ).all(...values) as StoredInbox[];
  return rows.map(toInboxRow);
}

export function cancelWaiting(db: Database, key: SessionKey, reason: string, before?: number): InboxRow[] {
  const rows = sql(
    db,
    `UPDATE gw_inbox SET state = 'cancelled', reason = ?, finished_at = ?
     WHERE session_key = ? AND state = 'waiting' AND id < ? RETURNING *`,
  ).all(reason, nowSeconds(), key, before ?? Number.MAX_SAFE_INTEGER) as StoredInbox[];
  return rows.map(toInboxRow);
}

export function startCommand(db: Database, inboxId: number, command: string, bootId: string): boolean {
  return (
    sql(
      db,
      `UPDATE gw_inbox SET state = 'running', attempts = attempts + 1, started_at = ?, boot_id = ?, reason = ?
       WHERE id = ? AND state = 'waiting'`,
    ).run(nowSeconds(), bootId, `/${command}`, inboxId).changes > 0
  );
}

export function settleMessage(db: Database, settled: SettledMessage): InboxRow | undefined {
  const { inboxId, state, reason, replies, follow } = settled;
  const changed = sql(
    db,
    "UPDATE gw_inbox SET state = ?, reason = ?, finished_at = ? WHERE id = ? AND state IN ('waiting', 'running')",
  ).run(state, reason, nowSeconds(), inboxId).changes;
  // Settled before, by somebody else: its replies are out already.
  if (changed === 0) return undefined;
  for (const [part, reply] of replies.entries())
    addReply(db, reply, { inboxId, nonce: `m${inboxId}.${part}` });
  return follow && acceptMessages(db, [follow])[0];
}

/** What was running under an older boot waits again, or is given up. */
export function recoverInbox(
  db: Database,
  bootId: string,
  maxAttempts: number,
  share?: Share,
): { waiting: number; dead: InboxRow[]; interrupted: InboxRow[] } {
  const { condition, values } = within(share);
  const interrupted = sql(
    db,
    `UPDATE gw_inbox SET state = 'done', finished_at = ?, error = 'the gateway died in this command'
     WHERE state = 'running' AND ${OPEN_IN} AND boot_id IS NOT ? AND reason LIKE '/%' AND ${condition} RETURNING *`,
  ).all(nowSeconds(), bootId, ...values) as StoredInbox[];
  const dead = sql(
    db,
    `UPDATE gw_inbox SET state = 'dead', finished_at = ?, error = COALESCE(error, 'the gateway died in its turn')
     WHERE state = 'running' AND ${OPEN_IN} AND boot_id IS NOT ? AND attempts >= ? AND ${condition} RETURNING *`,
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
  // What was added to a running turn has waited all the time.
  sql(
    db,
    `UPDATE gw_inbox SET state = ?, not_before = ?, wait_set_at = ?, error = ?, finished_at = ?, attempts = attempts - ?
     WHERE id IN (${marks(ids)}) AND state IN ('running', 'waiting')`,
  ).run(change.state, notBefore, setAt, change.error ?? null, finished, change.uncounted ? 1 : 0, ...ids);
}
