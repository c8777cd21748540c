import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { InboundMessage } from "../../../message.js";
import type { SessionKey } from "../../../session.js";
import type { ChangedMessage, ChangeNote, MessageChange, MessageName } from "../../queues.js";
import { sql } from "../statements.js";
import { write } from "../verb.js";
import { hasSteps } from "./steps.js";

/** Edits and deletions: applied to waiting messages, otherwise noted for the next turn. */

interface Found {
  id: number;
  session_key: SessionKey;
  state: string;
  reason: string | null;
  payload: string;
  turn_id: string | null;
}

/** Changes to older messages of a chat don't matter any more. */
const LOOK_BACK = 500;
const MAX_NOTES = 20;

function find(db: Database, { platform, account, chatId, messageId }: MessageName): Found | undefined {
  return sql(
    db,
    `SELECT id, session_key, state, reason, payload, turn_id FROM (
       SELECT * FROM gw_inbox WHERE platform = ? AND chat_id = ? ORDER BY id DESC LIMIT ${LOOK_BACK})
     WHERE account = ? AND json_extract(payload, '$.origin.messageId') = ? ORDER BY id LIMIT 1`,
  ).get(platform, chatId, account, messageId) as Found | undefined;
}

export const changeMessage = write(function changeMessage(
  db: Database,
  change: MessageChange,
): ChangedMessage {
  const row = find(db, change);
  if (!row) return { outcome: "ignored" };
  const { id: inboxId, session_key: sessionKey } = row;
  // A turn with steps was interrupted, not undone, so its agent has seen the message.
  const isInterrupted = hasSteps(db, row.turn_id);
  if (row.state === "waiting" && !isInterrupted) {
    changeWaiting(db, row, change.text);
    return { outcome: "changed", inboxId, sessionKey };
  }
  if (change.onlyWaiting) return { outcome: "ignored" };
  // Without a turn the agent hasn't seen the message.
  const wasAsked = isInterrupted || row.state === "running" || row.state === "done" || row.state === "dead";
  if (!wasAsked || row.reason?.startsWith("/")) return { outcome: "ignored" };
  return note(db, row, change.text) ? { outcome: "noted", inboxId, sessionKey } : { outcome: "ignored" };
});

/** Replaces its text. An edited message is never a command. */
function changeWaiting(db: Database, { id, payload }: Found, text: string | null): void {
  if (text === null) {
    const taken =
      "UPDATE gw_inbox SET state = 'cancelled', reason = 'taken back', finished_at = ? WHERE id = ?";
    sql(db, taken).run(nowSeconds(), id);
    return;
  }
  const message: InboundMessage = { ...(JSON.parse(payload) as InboundMessage), text, edited: true };
  sql(db, "UPDATE gw_inbox SET payload = ? WHERE id = ?").run(JSON.stringify(message), id);
}

interface StoredNote {
  text: string | null;
  known_text: string | null;
}

/** False if nothing changed: platforms repeat edits, and report some without a new text. */
function note(db: Database, { id, session_key, payload }: Found, text: string | null): boolean {
  const noted = sql(db, "SELECT text, known_text FROM gw_message_changes WHERE inbox_id = ?").get(id) as
    | StoredNote
    | undefined;
  const original = (JSON.parse(payload) as InboundMessage).text;
  if ((noted ? noted.text : original) === text) return false;
  const open = text !== known(noted?.known_text ?? null, original);
  sql(
    db,
    `INSERT INTO gw_message_changes (inbox_id, session_key, text, at, pending) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (inbox_id) DO UPDATE SET text = excluded.text, at = excluded.at, pending = excluded.pending`,
  ).run(id, session_key, text, nowSeconds(), open ? 1 : 0);
  return open;
}

/** The text the agent has seen. */
function known(text: string | null, original: string): string | null {
  return text === null ? original : (JSON.parse(text) as string | null);
}

/** Only for messages since this session started; older ones belong to an earlier conversation. */
export function openNotes(db: Database, key: SessionKey, sessionBegan: number): ChangeNote[] {
  const rows = sql(
    db,
    `SELECT n.inbox_id AS inboxId, n.at, n.text, n.known_text, i.payload FROM gw_message_changes n JOIN gw_inbox i ON i.id = n.inbox_id
     WHERE n.session_key = ? AND n.pending = 1 AND i.started_at >= ? ORDER BY n.at LIMIT ${MAX_NOTES}`,
  ).all(key, sessionBegan) as (StoredNote & { inboxId: number; at: number; payload: string })[];
  return rows.map(({ inboxId, at, text, known_text, payload }) => {
    const { text: original, origin } = JSON.parse(payload) as InboundMessage;
    const userName = origin.userName ?? origin.userId ?? null;
    return { inboxId, at, text, before: known(known_text, original) ?? original, userName };
  });
}

/** Marks these as seen by the agent. Changes that arrived in the meantime stay pending for the next turn. */
export function takeNotes(db: Database, notes: readonly Pick<ChangeNote, "inboxId" | "at">[]): void {
  const take =
    "UPDATE gw_message_changes SET pending = 0, known_text = json_quote(text) WHERE inbox_id = ? AND at = ?";
  for (const { inboxId, at } of notes) sql(db, take).run(inboxId, at);
}

export function noteOf(db: Database, inboxId: number): { at: number; text: string | null } | undefined {
  return sql(db, "SELECT at, text FROM gw_message_changes WHERE inbox_id = ?").get(inboxId) as
    | { at: number; text: string | null }
    | undefined;
}
