import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { AnswerDetails } from "../../../client-request.js";
import { nowSeconds } from "../../../clock.js";
import { HermesError } from "../../../errors.js";
import type { OutboundKind, Target } from "../../../message.js";
import { traceIdFromNonce } from "../../../trace-id.js";
import type {
  DeliveryOutcome,
  DeliveryRow,
  NewReply,
  OutboxRow,
  OutboxState,
  ReplyFile,
  Share,
} from "../../queues.js";
import { sql } from "../statements.js";
import { OPEN_OUT } from "./schema.js";
import { within } from "./share.js";
import { newWait } from "./waits.js";

export interface StoredOutbox {
  id: number;
  nonce: string;
  kind: OutboundKind;
  target: string;
  text: string;
  turn_id: string | null;
  state: OutboxState;
  attempts: number;
  created_at: number;
  sent_at: number | null;
  may_be_repeat: number;
  message_ids: string | null;
  replaces: string | null;
  lost_preview_of: string | null;
  files: string | null;
  error: string | null;
  trace_id: string | null;
  details: string | null;
}

export function toOutboxRow(row: StoredOutbox): OutboxRow {
  return {
    id: row.id,
    traceId: row.trace_id ?? traceIdFromNonce(row.nonce),
    nonce: row.nonce,
    kind: row.kind,
    target: JSON.parse(row.target) as Target,
    text: row.text,
    turnId: row.turn_id,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    mayBeRepeat: row.may_be_repeat === 1,
    replaces: row.replaces,
    lostPreviewOf: row.lost_preview_of,
    files: filesOf(row),
    ...(row.details === null ? {} : { details: JSON.parse(row.details) as AnswerDetails }),
  };
}

export function filesOf({ files }: Pick<StoredOutbox, "files">): ReplyFile[] {
  return files === null ? [] : (JSON.parse(files) as ReplyFile[]);
}

interface ReplyOf {
  nonce: string;
  inboxId?: number;
  turnId?: string;
  replaces?: string;
  lostPreviewOf?: string;
}

/** The nonce comes from what is answered, not from chance: the same answer can't be queued twice. */
export function addReply(
  db: Database,
  reply: NewReply,
  { nonce, inboxId, turnId, replaces, lostPreviewOf }: ReplyOf,
): number {
  const { target, kind, text, sessionKey, traceId, files = [], details } = reply;
  return Number(
    sql(
      db,
      `INSERT INTO gw_outbox (nonce, kind, platform, account, chat_id, target, text, session_key, turn_id, inbox_id, created_at, replaces, lost_preview_of, files, details, trace_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
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
      nowSeconds(),
      replaces ?? null,
      lostPreviewOf ?? null,
      files.length > 0 ? JSON.stringify(files) : null,
      details ? JSON.stringify(details) : null,
      traceId ?? null,
      inboxId ?? null,
    ).lastInsertRowid,
  );
}

export function enqueueReply(db: Database, reply: NewReply, key?: string): number {
  const nonce = key === undefined ? randomUUID() : `k.${key}`;
  const queued =
    key === undefined ? undefined : sql(db, "SELECT id FROM gw_outbox WHERE nonce = ?").pluck().get(nonce);
  if (queued === undefined) checkRoom(db);
  return queued === undefined ? addReply(db, reply, { nonce }) : (queued as number);
}

/** A program that sends in a loop must not fill the disk. Answers are bounded by their questions. */
const WAITING_MAX = 10_000;

function checkRoom(db: Database): void {
  const waiting = sql(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM gw_outbox WHERE state = 'pending' AND ${OPEN_OUT} LIMIT ?)`,
  ).pluck();
  if ((waiting.get(WAITING_MAX) as number) < WAITING_MAX) return;
  throw new HermesError("unavailable", `${WAITING_MAX} messages wait to be sent already.`, {
    hint: "`hermes gateway status` tells whether a gateway runs and reaches its platforms.",
  });
}

export function getDelivery(db: Database, outboxId: number): DeliveryRow | undefined {
  const row = sql(db, "SELECT * FROM gw_outbox WHERE id = ?").get(outboxId) as StoredOutbox | undefined;
  return row && toDeliveryRow(row);
}

export function toDeliveryRow(row: StoredOutbox): DeliveryRow {
  const messageIds = JSON.parse(row.message_ids ?? "[]") as string[];
  return { ...toOutboxRow(row), error: row.error, messageIds, sentAt: row.sent_at };
}

/** What must be sent before the row `o`. */
export const OLDER_IN_CHAT = `SELECT 1 FROM gw_outbox older WHERE older.platform = o.platform
  AND older.chat_id IS o.chat_id AND older.id < o.id AND older.state IN ('pending', 'sending')`;

/** In each chat one at a time, in order: what is older there and not settled holds back what is newer. */
export function claimDeliveries(db: Database, bootId: string, limit: number, share?: Share): OutboxRow[] {
  const { condition, values } = within(share, "o.");
  const rows = sql(
    db,
    `UPDATE gw_outbox SET state = 'sending', attempts = attempts + 1, boot_id = ? WHERE id IN (
       SELECT o.id FROM gw_outbox o WHERE o.state = 'pending' AND o.${OPEN_OUT} AND o.not_before <= ? AND ${condition} AND NOT EXISTS (${OLDER_IN_CHAT})
       ORDER BY o.id LIMIT ?) RETURNING *`,
  ).all(bootId, nowSeconds(), ...values, limit) as StoredOutbox[];
  return rows.map(toOutboxRow).toSorted((a, b) => a.id - b.id);
}

export function settleDelivery(db: Database, id: number, outcome: DeliveryOutcome): void {
  const sent = outcome.state === "sent";
  const pending = outcome.state === "pending";
  const { notBefore, setAt } = newWait(pending ? outcome.waitSeconds : 0);
  sql(
    db,
    `UPDATE gw_outbox SET state = ?, not_before = ?, wait_set_at = ?, error = ?, sent_at = ?, message_ids = ?,
       may_be_repeat = max(may_be_repeat, ?) WHERE id = ?`,
  ).run(
    outcome.state,
    notBefore,
    setAt,
    sent ? null : outcome.error,
    sent ? nowSeconds() : null,
    sent ? JSON.stringify(outcome.messageIds) : null,
    pending && outcome.mayBeRepeat ? 1 : 0,
    id,
  );
}

/**
 * Sends that were under way when an older boot ended: nobody knows whether they arrived. They stay as they are until
 * somebody has decided: a crash before that must find them again.
 */
export function recoverOutbox(db: Database, bootId: string, share?: Share): OutboxRow[] {
  const { condition, values } = within(share);
  const rows = sql(
    db,
    `SELECT * FROM gw_outbox WHERE state = 'sending' AND ${OPEN_OUT} AND boot_id IS NOT ? AND ${condition} ORDER BY id`,
  ).all(bootId, ...values) as StoredOutbox[];
  return rows.map(toOutboxRow);
}
