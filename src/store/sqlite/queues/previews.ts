import type { Database } from "better-sqlite3";
import { type InboundMessage, targetOf } from "../../../message.js";
import { traceIdOf } from "../../../trace-id.js";
import type { LeftPreview, LeftPreviews, Owners, PreviewRef } from "../../queues.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";
import { ownedBy } from "./owned.js";
import { OPEN_OUT } from "./schema.js";

/** Messages that show an answer while it is written: recorded before they are posted, named once their id is known. */

const UNNAMED = "";

/** A preview takes the answer's place in the chat: earlier replies of the session must be sent before it. */
export const beginPreview = write(function beginPreview(db: Database, inboxId: number): boolean {
  const before = sql(
    db,
    `SELECT 1 FROM gw_outbox WHERE state IN ('pending', 'sending') AND ${OPEN_OUT}
       AND session_key = (SELECT session_key FROM gw_inbox WHERE id = ?) LIMIT 1`,
  ).get(inboxId);
  if (before !== undefined) return false;
  savePreview(db, inboxId, UNNAMED);
  return true;
});

export const namePreview = write(function namePreview(
  db: Database,
  preview: PreviewRef,
  messageId: string | null,
): boolean {
  const isFound = "outboxId" in preview || preview.found;
  if (isFound && messageId !== null && isKnown(db, messageId)) return false;
  if ("outboxId" in preview)
    sql(db, "UPDATE gw_outbox SET replaces = ?, lost_preview_of = NULL WHERE id = ?").run(
      messageId,
      preview.outboxId,
    );
  else if (messageId === null) removePreview(db, preview.inboxId);
  else savePreview(db, preview.inboxId, messageId);
  return true;
});

function isKnown(db: Database, messageId: string): boolean {
  return sql(db, "SELECT 1 FROM gw_previews WHERE message_id = ?").get(messageId) !== undefined;
}

function savePreview(db: Database, inboxId: number, messageId: string): void {
  sql(
    db,
    "INSERT INTO gw_previews (inbox_id, message_id) VALUES (?, ?) ON CONFLICT (inbox_id) DO UPDATE SET message_id = excluded.message_id",
  ).run(inboxId, messageId);
}

function removePreview(db: Database, inboxId: number): void {
  sql(db, "DELETE FROM gw_previews WHERE inbox_id = ?").run(inboxId);
}

/** Null: it may have been posted, but its id is unknown. */
export function getPreview(db: Database, inboxId: number): string | null | undefined {
  const id = sql(db, "SELECT message_id FROM gw_previews WHERE inbox_id = ?").pluck().get(inboxId) as
    | string
    | undefined;
  return id === UNNAMED ? null : id;
}

/**
 * The preview of an interrupted turn belongs to its first message. If that one was cancelled or given up since, the first
 * of those that are retried takes it over.
 */
export function followPreview(db: Database, earlierTurnId: string, inboxIds: readonly number[]): void {
  const first = Math.min(...inboxIds);
  if (getPreview(db, first) !== undefined) return;
  sql(
    db,
    `UPDATE gw_previews SET inbox_id = ? WHERE inbox_id = (
       SELECT p.inbox_id FROM gw_previews p CROSS JOIN gw_inbox i ON i.id = p.inbox_id
       WHERE i.turn_id = ? AND i.state <> 'waiting' LIMIT 1)`,
  ).run(first, earlierTurnId);
}

/** The message that the answer replaces, or must look for. */
export function takePreview(db: Database, inboxId: number): { replaces?: string; lostPreviewOf?: string } {
  const shown = getPreview(db, inboxId);
  if (shown === undefined) return {};
  removePreview(db, inboxId);
  return shown === null ? { lostPreviewOf: questionOf(db, inboxId) } : { replaces: shown };
}

function questionOf(db: Database, inboxId: number): string {
  const payload = sql(db, "SELECT payload FROM gw_inbox WHERE id = ?").pluck().get(inboxId) as string;
  return targetOf(JSON.parse(payload) as InboundMessage).replyTo ?? "";
}

/** The text that stays if no answer takes its place. */
export function leavePreview(db: Database, inboxId: number | undefined, said: string | undefined): void {
  if (inboxId === undefined || said === undefined) return;
  sql(db, "UPDATE gw_previews SET text = ? WHERE inbox_id = ?").run(said, inboxId);
}

const OVER = "state NOT IN ('waiting', 'running')";
const LEFT_AT_ONCE = 100;

export const leftPreviews = read(function leftPreviews(
  db: Database,
  { since, sessionKey }: LeftPreviews,
  owners?: Owners,
): LeftPreview[] {
  const { condition, values } = ownedBy(owners, "i.");
  const rows = sql(
    db,
    `SELECT p.inbox_id, p.message_id, p.text, i.payload FROM gw_previews p CROSS JOIN gw_inbox i ON i.id = p.inbox_id
     WHERE i.${OVER} AND i.finished_at >= ? AND i.session_key = COALESCE(?, i.session_key) AND ${condition}
     ORDER BY p.inbox_id DESC LIMIT ${LEFT_AT_ONCE}`,
  ).all(since, sessionKey ?? null, ...values) as StoredPreview[];
  return rows.map(({ inbox_id, message_id, text, payload }) => {
    const message = JSON.parse(payload) as InboundMessage;
    const messageId = message_id === UNNAMED ? null : message_id;
    return { inboxId: inbox_id, traceId: traceIdOf(message), target: targetOf(message), messageId, text };
  });
});

interface StoredPreview {
  inbox_id: number;
  message_id: string;
  text: string;
  payload: string;
}

/** A message that is retried meanwhile keeps its preview. */
export const settlePreview = write(function settlePreview(db: Database, inboxId: number): void {
  sql(
    db,
    `DELETE FROM gw_previews WHERE inbox_id = ? AND EXISTS (SELECT 1 FROM gw_inbox WHERE id = inbox_id AND ${OVER})`,
  ).run(inboxId);
});
