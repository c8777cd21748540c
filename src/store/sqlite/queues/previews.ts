import type { Database } from "better-sqlite3";
import { type InboundMessage, targetOf } from "../../../message.js";
import { traceIdOf } from "../../../trace-id.js";
import type { LeftPreview, LeftPreviews, Owners, PreviewClaim, PreviewStep } from "../../queues.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";
import { ownedBy } from "./owned.js";
import { OPEN_OUT } from "./schema.js";

/** Preview messages: recorded before they are posted, updated once their id is known. */

const UNNAMED = "";
const OVER = "state NOT IN ('waiting', 'running')";

export const recordPreview = write(function recordPreview(db: Database, step: PreviewStep): boolean {
  switch (step.step) {
    case "begin":
      return begin(db, step);
    case "posted":
      return posted(db, step, step.messageId);
    case "found":
      return found(db, step);
    case "replaced":
      return replaced(db, step);
    default:
      return settled(db, step);
  }
});

/** A preview occupies the answer's place in the chat, so earlier replies of the session must be sent first. */
function begin(db: Database, claim: PreviewClaim): boolean {
  if (!isClaimed(db, claim, "AND state = 'running'")) return false;
  const before = sql(
    db,
    `SELECT 1 FROM gw_outbox WHERE state IN ('pending', 'sending') AND ${OPEN_OUT}
       AND session_key = (SELECT session_key FROM gw_inbox WHERE id = ?) LIMIT 1`,
  ).get(claim.inboxId);
  if (before !== undefined) return false;
  savePreview(db, claim.inboxId, UNNAMED);
  return true;
}

/** Also works after the turn ended, because posting may take longer. Doesn't recreate a record that an answer has replaced. */
function posted(db: Database, claim: PreviewClaim, messageId: string | null): boolean {
  if (!isClaimed(db, claim)) return false;
  if (messageId !== null && getPreview(db, claim.inboxId) === undefined) return false;
  if (messageId === null) removePreview(db, claim.inboxId);
  else savePreview(db, claim.inboxId, messageId);
  return true;
}

/** A crash or another turn may take the row from a turn that is still running in a process unaware of it. */
function isClaimed(db: Database, { inboxId, turnId, bootId }: PreviewClaim, also = ""): boolean {
  const row = sql(db, `SELECT 1 FROM gw_inbox WHERE id = ? AND turn_id = ? AND boot_id = ? ${also}`);
  return row.get(inboxId, turnId, bootId) !== undefined;
}

function found(db: Database, step: PreviewStep & { step: "found" }): boolean {
  const { inboxId, messageId } = step;
  if (!isLeft(db, step) || getPreview(db, inboxId) === undefined) return false;
  if (messageId !== null && isKnown(db, messageId)) return false;
  if (messageId === null) removePreview(db, inboxId);
  else savePreview(db, inboxId, messageId);
  return true;
}

function replaced(
  db: Database,
  { outboxId, messageId, bootId }: PreviewStep & { step: "replaced" },
): boolean {
  if (isKnown(db, messageId)) return false;
  const { changes } = sql(
    db,
    "UPDATE gw_outbox SET replaces = ?, lost_preview_of = NULL WHERE id = ? AND state = 'sending' AND boot_id = ?",
  ).run(messageId, outboxId, bootId);
  return changes > 0;
}

/** A message that was retried in the meantime keeps its preview. */
function settled(db: Database, step: PreviewStep & { step: "settled" }): boolean {
  if (!isLeft(db, step)) return false;
  removePreview(db, step.inboxId);
  return true;
}

/** The message's turn is over, and one of these owners owns it. */
function isLeft(db: Database, { inboxId, owners }: { inboxId: number; owners: Owners | undefined }): boolean {
  const { condition, values } = ownedBy(owners);
  const row = sql(db, `SELECT 1 FROM gw_inbox WHERE id = ? AND ${OVER} AND ${condition}`);
  return row.get(inboxId, ...values) !== undefined;
}

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

/** Null if it may have been posted with an unknown id. */
export function getPreview(db: Database, inboxId: number): string | null | undefined {
  const id = sql(db, "SELECT message_id FROM gw_previews WHERE inbox_id = ?").pluck().get(inboxId) as
    | string
    | undefined;
  return id === UNNAMED ? null : id;
}

/**
 * An interrupted turn's preview belongs to its first message. If that one was cancelled or abandoned, the
 * first retried message takes it over.
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

/** The text that stays if no answer replaces it. */
export function leavePreview(db: Database, inboxId: number | undefined, said: string | undefined): void {
  if (inboxId === undefined || said === undefined) return;
  sql(db, "UPDATE gw_previews SET text = ? WHERE inbox_id = ?").run(said, inboxId);
}

const LEFT_PER_BATCH = 100;

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
     ORDER BY p.inbox_id DESC LIMIT ${LEFT_PER_BATCH}`,
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
