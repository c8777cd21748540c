import type { Database } from "better-sqlite3";
import { type InboundMessage, targetOf } from "../../../message.js";
import { sql } from "../statements.js";
import { OPEN_OUT } from "./schema.js";

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

export function foundPreview(db: Database, outboxId: number, messageId: string): boolean {
  const taken = sql(db, "SELECT 1 FROM gw_previews WHERE message_id = ?").get(messageId);
  if (taken !== undefined) return false;
  sql(db, "UPDATE gw_outbox SET replaces = ?, lost_preview_of = NULL WHERE id = ?").run(messageId, outboxId);
  return true;
}
