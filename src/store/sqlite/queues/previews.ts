import type { Database } from "better-sqlite3";
import { type InboundMessage, targetOf } from "../../../message.js";
import { traceIdOf } from "../../../trace-id.js";
import type { LeftPreview, LeftPreviews, Share } from "../../queues.js";
import { sql } from "../statements.js";
import { OPEN_OUT } from "./schema.js";
import { within } from "./share.js";

/** Messages that show an answer while it is written: noted before they are made, named once their id is known. */

const UNNAMED = "";

/** A preview stands where the answer will stand: what comes before it in its conversation must be there by then. */
export function notePreview(db: Database, inboxId: number): boolean {
  const before = sql(
    db,
    `SELECT 1 FROM gw_outbox WHERE state IN ('pending', 'sending') AND ${OPEN_OUT}
       AND session_key = (SELECT session_key FROM gw_inbox WHERE id = ?) LIMIT 1`,
  ).get(inboxId);
  if (before !== undefined) return false;
  savePreview(db, inboxId, UNNAMED);
  return true;
}

export function savePreview(db: Database, inboxId: number, messageId: string): void {
  sql(
    db,
    "INSERT INTO gw_previews (inbox_id, message_id) VALUES (?, ?) ON CONFLICT (inbox_id) DO UPDATE SET message_id = excluded.message_id",
  ).run(inboxId, messageId);
}

export function forgetPreview(db: Database, inboxId: number): void {
  sql(db, "DELETE FROM gw_previews WHERE inbox_id = ?").run(inboxId);
}

export function getPreview(db: Database, inboxId: number): string | null | undefined {
  const id = sql(db, "SELECT message_id FROM gw_previews WHERE inbox_id = ?").pluck().get(inboxId) as
    | string
    | undefined;
  return id === UNNAMED ? null : id;
}

/**
 * What a turn showed before it was cut off belongs to its first message. If that one was cancelled or given up since,
 * the first of those that are asked again takes it over.
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

/** What the answer takes the place of, or must look for. */
export function takePreview(db: Database, inboxId: number): { replaces?: string; lostPreviewOf?: string } {
  const shown = getPreview(db, inboxId);
  if (shown === undefined) return {};
  forgetPreview(db, inboxId);
  return shown === null ? { lostPreviewOf: questionOf(db, inboxId) } : { replaces: shown };
}

function questionOf(db: Database, inboxId: number): string {
  const payload = sql(db, "SELECT payload FROM gw_inbox WHERE id = ?").pluck().get(inboxId) as string;
  return targetOf(JSON.parse(payload) as InboundMessage).replyTo ?? "";
}

/** Where no answer took its place, this much was said. */
export function leavePreview(db: Database, inboxId: number | undefined, said: string | undefined): void {
  if (inboxId === undefined || said === undefined) return;
  sql(db, "UPDATE gw_previews SET text = ? WHERE inbox_id = ?").run(said, inboxId);
}

const OVER = "state NOT IN ('waiting', 'running')";
const LEFT_AT_ONCE = 100;

export function leftPreviews(
  db: Database,
  { since, sessionKey }: LeftPreviews,
  share?: Share,
): LeftPreview[] {
  const { condition, values } = within(share, "i.");
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
}

interface StoredPreview {
  inbox_id: number;
  message_id: string;
  text: string;
  payload: string;
}

/** Whoever asks again meanwhile goes on with it. */
export function settlePreview(db: Database, inboxId: number): void {
  sql(
    db,
    `DELETE FROM gw_previews WHERE inbox_id = ? AND EXISTS (SELECT 1 FROM gw_inbox WHERE id = inbox_id AND ${OVER})`,
  ).run(inboxId);
}

export function isPreview(db: Database, messageId: string): boolean {
  return sql(db, "SELECT 1 FROM gw_previews WHERE message_id = ?").get(messageId) !== undefined;
}

export function foundPreview(db: Database, outboxId: number, messageId: string): boolean {
  if (isPreview(db, messageId)) return false;
  sql(db, "UPDATE gw_outbox SET replaces = ?, lost_preview_of = NULL WHERE id = ?").run(messageId, outboxId);
  return true;
}
