import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import { HermesError } from "../../../errors.js";
import { orderedId } from "../../../ordered-id.js";
import {
  BY_HUMAN,
  type Claim,
  type DeliveryOutcome,
  type DeliveryRow,
  type HumanReply,
  type NewReply,
  type OutboxPart,
  type OutboxRow,
  type Owners,
  type SentPart,
} from "../../queues.js";
import { ownerOf } from "../../shared/owner.js";
import { newWait, type StoredOutbox, toDeliveryRow, toOutboxRow } from "../../shared/rows.js";
import { appendMessages } from "../messages.js";
import { marks, sql } from "../statements.js";
import { lateWrite, read, write } from "../verb.js";
import { ownedBy } from "./owned.js";
import { savePenalty } from "./platforms.js";
import { OPEN_OUT } from "./schema.js";

export interface ReplyOf {
  nonce: string;
  inboxId?: number;
  turnId?: string;
  replaces?: string;
  lostPreviewOf?: string;
  /** The boot for which storing it is sending it: its client fetches it. */
  sentBy?: string | undefined;
}

/** The nonce is derived from the answered message, so the same answer can't be queued twice. */
export function addReply(
  db: Database,
  reply: NewReply,
  { nonce, inboxId, turnId, replaces, lostPreviewOf, sentBy }: ReplyOf,
): number {
  const { target, kind, text, sessionKey, traceId, files = [], details, question } = reply;
  const now = nowSeconds();
  const sent = sentBy !== undefined;
  return Number(
    sql(
      db,
      `INSERT INTO gw_outbox (nonce, kind, platform, account, chat_id, target, text, session_key, turn_id, inbox_id, created_at, replaces, lost_preview_of, files, details, question, owner, state, attempts, boot_id, sent_at, message_ids, trace_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
         COALESCE(?, (SELECT json_extract(payload, '$.traceId') FROM gw_inbox WHERE id = ?)))`,
    ).run(
      nonce,
      kind,
      target.platform,
      target.account,
      target.chatId,
      JSON.stringify(target),
      text,
      sessionKey ?? null,
      turnId ?? null,
      inboxId ?? null,
      now,
      replaces ?? null,
      lostPreviewOf ?? null,
      files.length > 0 ? JSON.stringify(files) : null,
      details ? JSON.stringify(details) : null,
      question ? JSON.stringify(question) : null,
      ownerOf(target.platform, target.account),
      sent ? "sent" : "pending",
      sent ? 1 : 0,
      sentBy ?? null,
      sent ? now : null,
      sent ? "[]" : null,
      traceId ?? null,
      inboxId ?? null,
    ).lastInsertRowid,
  );
}

export const enqueueReply = write(function enqueueReply(
  db: Database,
  reply: NewReply & { asHuman?: HumanReply },
  key?: string,
): number {
  const nonce = key === undefined ? orderedId() : `k.${key}`;
  const queued =
    key === undefined ? undefined : sql(db, "SELECT id FROM gw_outbox WHERE nonce = ?").pluck().get(nonce);
  if (queued !== undefined) return queued as number;
  checkRoom(db);
  if (reply.asHuman) recordHuman(db, reply.asHuman, reply.text);
  return addReply(db, reply, { nonce });
});

/** Raises the epoch, so that no turn starts from a conversation without this message. */
function recordHuman(db: Database, { sessionId, until }: HumanReply, text: string): void {
  const answered = sql(
    db,
    `UPDATE gw_routes SET human_until = max(human_until, ?), epoch = epoch + 1
     WHERE session_id = ? AND human_until > ? AND expired_reason IS NULL`,
  ).run(until, sessionId, nowSeconds()).changes;
  if (answered === 0) {
    throw new HermesError(
      "conflict",
      "The session isn't taken over, or no longer: the agent answers there.",
      {
        hint: "Take it over again.",
      },
    );
  }
  appendMessages(db, sessionId, [{ role: "assistant", content: text, finish_reason: BY_HUMAN }]);
}

/** Keeps a program that sends in a loop from filling the disk. Answers are bounded by their questions. */
const MAX_WAITING = 10_000;

function checkRoom(db: Database): void {
  const waiting = sql(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM gw_outbox WHERE state = 'pending' AND ${OPEN_OUT} LIMIT ?)`,
  ).pluck();
  if ((waiting.get(MAX_WAITING) as number) < MAX_WAITING) return;
  throw new HermesError("unavailable", `${MAX_WAITING} messages are already waiting to be sent.`, {
    hint: "`hermes gateway status` shows whether a gateway is running and connected to its platforms.",
  });
}

export const getDelivery = read(function getDelivery(
  db: Database,
  outboxId: number,
): DeliveryRow | undefined {
  const row = sql(db, "SELECT * FROM gw_outbox WHERE id = ?").get(outboxId) as StoredOutbox | undefined;
  return row && toDeliveryRow(row);
});

/** Rows that must be sent before the row `o`. */
export const OLDER_IN_CHAT = `SELECT 1 FROM gw_outbox older WHERE older.platform = o.platform
  AND older.chat_id IS o.chat_id AND older.id < o.id AND older.state IN ('pending', 'sending')`;

/** One at a time per chat, in order: an older unsettled row blocks newer ones. */
export const claimDeliveries = write(function claimDeliveries(
  db: Database,
  bootId: string,
  limit: number,
  owners?: Owners,
): OutboxRow[] {
  const { condition, values } = ownedBy(owners, "o.");
  const rows = sql(
    db,
    `UPDATE gw_outbox SET state = 'sending', attempts = attempts + 1, boot_id = ? WHERE id IN (
       SELECT o.id FROM gw_outbox o WHERE o.state = 'pending' AND o.${OPEN_OUT} AND o.not_before <= ? AND ${condition} AND NOT EXISTS (${OLDER_IN_CHAT})
       ORDER BY o.id LIMIT ?) RETURNING *`,
  ).all(bootId, nowSeconds(), ...values, limit) as StoredOutbox[];
  return rows.map(toOutboxRow).toSorted((a, b) => a.id - b.id);
});

const CLAIMED = "state = 'sending' AND boot_id = ?";

export const saveParts = write(function saveParts(
  db: Database,
  outboxId: number,
  parts: readonly OutboxPart[] | SentPart,
  bootId: string,
): boolean {
  if (!("index" in parts)) {
    const save = sql(db, `UPDATE gw_outbox SET parts = ? WHERE id = ? AND ${CLAIMED}`);
    return save.run(JSON.stringify(parts), outboxId, bootId).changes > 0;
  }
  // No parts: they were erased in the meantime.
  const { index, ids } = parts;
  const save = sql(
    db,
    `UPDATE gw_outbox SET parts = json_set(parts, ?, json(?)), may_be_repeat = iif(parts IS NULL, may_be_repeat, 0)
     WHERE id = ? AND ${CLAIMED}`,
  );
  return save.run(`$[${index}].ids`, JSON.stringify(ids), outboxId, bootId).changes > 0;
});

/** Those of these rows that no older row of their chat blocks. */
export function claimThese(db: Database, ids: readonly number[], claim: Claim): OutboxRow[] {
  if (ids.length === 0) return [];
  const { bootId, owners, sends } = claim;
  if (sends) return sendThese(db, ids, bootId);
  const { condition, values } = ownedBy(owners, "o.");
  const rows = sql(
    db,
    `UPDATE gw_outbox AS o SET state = 'sending', attempts = attempts + 1, boot_id = ?
     WHERE o.id IN (${marks(ids)}) AND ${condition} AND NOT EXISTS (${OLDER_IN_CHAT}) RETURNING *`,
  ).all(bootId, ...ids, ...values) as StoredOutbox[];
  return rows.map(toOutboxRow).toSorted((a, b) => a.id - b.id);
}

function sendThese(db: Database, ids: readonly number[], bootId: string): OutboxRow[] {
  const rows = sql(
    db,
    `UPDATE gw_outbox SET state = 'sent', attempts = attempts + 1, boot_id = ?, sent_at = ?, message_ids = '[]'
     WHERE id IN (${marks(ids)}) RETURNING *`,
  ).all(bootId, nowSeconds(), ...ids) as StoredOutbox[];
  return rows.map(toOutboxRow).toSorted((a, b) => a.id - b.id);
}

export function storedReplies(db: Database, ids: readonly number[]): OutboxRow[] {
  const rows = sql(db, `SELECT * FROM gw_outbox WHERE id IN (${marks(ids)}) ORDER BY id`).all(...ids);
  return (rows as StoredOutbox[]).map(toOutboxRow);
}

/** The replies of a turn that this boot has claimed. */
export function claimedOf(db: Database, turnId: string, { bootId, sends }: Claim): OutboxRow[] {
  const rows = sql(
    db,
    "SELECT * FROM gw_outbox WHERE turn_id = ? AND state = ? AND boot_id = ? ORDER BY id",
  ).all(turnId, sends ? "sent" : "sending", bootId) as StoredOutbox[];
  return rows.map(toOutboxRow);
}

/** The chat's next row, which this one blocked. The plus keeps SQLite from reading all open rows instead of one chat's. */
function nextInChat(db: Database, id: number): number[] {
  return sql(
    db,
    `SELECT next.id FROM gw_outbox row JOIN gw_outbox next
       ON next.platform = row.platform AND next.chat_id IS row.chat_id AND next.id > row.id
     WHERE row.id = ? AND +next.state = 'pending' AND next.not_before <= ? ORDER BY next.id LIMIT 1`,
  )
    .pluck()
    .all(id, nowSeconds()) as number[];
}

export const settleDelivery = lateWrite(function settleDelivery(
  db: Database,
  id: number,
  outcome: DeliveryOutcome,
  bootId: string,
  claim?: Claim,
): OutboxRow[] {
  const sent = outcome.state === "sent";
  const pending = outcome.state === "pending";
  if ("penalty" in outcome && outcome.penalty) savePenalty(db, outcome.penalty);
  const { notBefore, setAt } = newWait(pending ? outcome.waitSeconds : 0);
  const { changes } = sql(
    db,
    `UPDATE gw_outbox SET state = ?, not_before = ?, wait_set_at = ?, error = ?, sent_at = ?, message_ids = ?,
       may_be_repeat = max(may_be_repeat, ?), parts = CASE WHEN ? THEN NULL ELSE parts END
     WHERE id = ? AND ${CLAIMED}`,
  ).run(
    outcome.state,
    notBefore,
    setAt,
    sent ? null : outcome.error,
    sent ? nowSeconds() : null,
    sent ? JSON.stringify(outcome.messageIds) : null,
    pending && outcome.mayBeRepeat ? 1 : 0,
    sent ? 1 : 0,
    id,
    bootId,
  );
  return claim && !pending && changes > 0 ? claimThese(db, nextInChat(db, id), claim) : [];
});

/**
 * Claims sends that were in flight when an older boot ended; their outcome is unknown. They keep their state
 * until settled, so that the next boot finds them after another crash.
 */
export function recoverOutbox(db: Database, bootId: string, owners?: Owners): OutboxRow[] {
  const { condition, values } = ownedBy(owners);
  const rows = sql(
    db,
    `UPDATE gw_outbox SET boot_id = ? WHERE state = 'sending' AND ${OPEN_OUT} AND boot_id IS NOT ? AND ${condition} RETURNING *`,
  ).all(bootId, bootId, ...values) as StoredOutbox[];
  return rows.map(toOutboxRow).toSorted((a, b) => a.id - b.id);
}
