import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { InboundMessage } from "../../../message.js";
import type { SessionKey } from "../../../session.js";
import type { ChangedMessage, ChangeNote, MessageChange, MessageName } from "../../queues.js";
import { sql } from "../statements.js";

/** What authors change or take back: in the message while it waits, later as a note for the next turn. */

interface Found {
  id: number;
  session_key: SessionKey;
  state: string;
  reason: string | null;
  payload: string;
}

/** A chat's older messages are of no interest any more. */
const LOOK_BACK = 500;
const MOST_NOTES = 20;

function find(db: Database, { platform, account, chatId, messageId }: MessageName): Found | undefined {
  return sql(
    db,
    `SELECT id, session_key, state, reason, payload FROM (
       SELECT * FROM gw_inbox WHERE platform = ? AND chat_id = ? ORDER BY id DESC LIMIT ${LOOK_BACK})
     WHERE account = ? AND json_extract(payload, '$.origin.messageId') = ? ORDER BY id LIMIT 1`,
  ).get(platform, chatId, account, messageId) as Found | undefined;
}

export function changeMessage(db: Database, change: MessageChange): ChangedMessage {
  const row = find(db, change);
  if (!row) return { outcome: "ignored" };
  const { id: inboxId, session_key: sessionKey } = row;
  if (row.state === "waiting") {
    changeWaiting(db, row, change.text);
    return { outcome: "changed", inboxId, sessionKey };
  }
  // Whatever got no turn, the agent doesn't know of.
  const wasAsked = row.state === "running" || row.state === "done" || row.state === "dead";
  if (!wasAsked || row.reason?.startsWith("/")) return { outcome: "ignored" };
  return note(db, row, change.text) ? { outcome: "noted", inboxId, sessionKey } : { outcome: "ignored" };
}

/** Its words are others from now on, but whatever they begin with, they are not carried out. */
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
  told: string | null;
}

/** Platforms tell of changes that changed no word, and tell again: false when there is nothing new to tell. */
function note(db: Database, { id, session_key, payload }: Found, text: string | null): boolean {
  const noted = sql(db, "SELECT text, told FROM gw_notes WHERE inbox_id = ?").get(id) as
    | StoredNote
    | undefined;
  const original = (JSON.parse(payload) as InboundMessage).text;
  if ((noted ? noted.text : original) === text) return false;
  const open = text !== known(noted?.told ?? null, original);
  sql(
    db,
    `INSERT INTO gw_notes (inbox_id, session_key, text, at, open) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (inbox_id) DO UPDATE SET text = excluded.text, at = excluded.at, open = excluded.open`,
  ).run(id, session_key, text, nowSeconds(), open ? 1 : 0);
  return open;
}

/** What the agent takes the message to say. */
function known(told: string | null, original: string): string | null {
  return told === null ? original : (JSON.parse(told) as string | null);
}

/** Of messages that were asked since this session began; the rest is of a conversation that is over. */
export function openNotes(db: Database, key: SessionKey, sessionBegan: number): ChangeNote[] {
  const rows = sql(
    db,
    `SELECT n.inbox_id AS inboxId, n.at, n.text, n.told, i.payload FROM gw_notes n JOIN gw_inbox i ON i.id = n.inbox_id
     WHERE n.session_key = ? AND n.open = 1 AND i.started_at >= ? ORDER BY n.at LIMIT ${MOST_NOTES}`,
  ).all(key, sessionBegan) as (StoredNote & { inboxId: number; at: number; payload: string })[];
  return rows.map(({ inboxId, at, text, told, payload }) => {
    const { text: original, origin } = JSON.parse(payload) as InboundMessage;
    const userName = origin.userName ?? origin.userId ?? null;
    return { inboxId, at, text, before: known(told, original) ?? original, userName };
  });
}

/** The agent has been told; of a change that came meanwhile it is told with the next turn. */
export function takeNotes(db: Database, notes: readonly Pick<ChangeNote, "inboxId" | "at">[]): void {
  const take = "UPDATE gw_notes SET open = 0, told = json_quote(text) WHERE inbox_id = ? AND at = ?";
  for (const { inboxId, at } of notes) sql(db, take).run(inboxId, at);
}

export function noteOf(db: Database, inboxId: number): { at: number; text: string | null } | undefined {
  return sql(db, "SELECT at, text FROM gw_notes WHERE inbox_id = ?").get(inboxId) as
    | { at: number; text: string | null }
    | undefined;
}
