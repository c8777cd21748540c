import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { InboundMessage, Origin, Target } from "../../../message.js";
import type { ErasurePlan, MessageChange, ThoughtColumn } from "../../people.js";
import type { Progress } from "../../store.js";
import { noteRoutesChanged, setMeta } from "../meta.js";
import { removeSession } from "../prune.js";
import { dropKey } from "../queues/keys.js";
import { Slice } from "../slice.js";
import { marks, sql } from "../statements.js";
import { read, write } from "../verb.js";
import { ERASED } from "./redact.js";
import { forgetToolRecords } from "./tool-records.js";

/** Deleted text may still be in the bytes of the file. */
const SCRUB_DUE = "gw_scrub_due";

/**
 * The order lets a second run finish after a crash: quotes by others go before the originals, and rows that
 * identify the person go last. This connection overwrites the bytes it deletes.
 */
export const erasePerson = write(function* erasePerson(
  db: Database,
  plan: ErasurePlan,
  step: "data" | "marks",
): Generator<Progress, void> {
  if (step === "data") yield* eraseData(db, plan);
  else eraseMarks(db, plan);
});

function* eraseData(db: Database, plan: ErasurePlan): Generator<Progress, void> {
  db.pragma("secure_delete = ON");
  setMeta(db, SCRUB_DUE, "1");
  const slice = new Slice();
  const total = plan.changes.length + plan.own.length + plan.inbox.remove.length + plan.inbox.redact.length;
  let done = 0;
  const step = () => slice.pause({ step: "Erasing", done: done++, total });
  yield* silence(db, plan, () => slice.pause({ step: "Erasing", done, total }));
  yield* eraseRepeats(db, plan, step);
  for (const change of plan.changes.filter(({ whole }) => whole)) {
    changeMessage(db, change);
    yield* step();
  }
  for (const { id, belongsToThem, namedAfterThem } of plan.shared) {
    if (namedAfterThem) sql(db, "UPDATE sessions SET title = NULL WHERE id = ?").run(id);
    if (belongsToThem) sql(db, "UPDATE sessions SET system_prompt = NULL WHERE id = ?").run(id);
  }
  for (const { id } of plan.own) {
    yield* removeSession(db, id, slice, { step: "Erasing", done, total });
    done += 1;
  }
  for (const id of plan.inbox.remove) {
    removeInbox(db, id);
    yield* step();
  }
  for (const id of plan.inbox.redact) {
    redactInbox(db, id);
    yield* step();
  }
  yield* eraseSends(db, plan, step);
  eraseRoutes(db, plan);
  for (const id of plan.ids)
    sql(db, "DELETE FROM gw_records WHERE platform = ? AND owner = ?").run(plan.person.platform, id);
}

/** Cancels their open messages and answers, and fences off running turns that have read them. */
function* silence(
  db: Database,
  plan: ErasurePlan,
  pause: () => Generator<Progress, void>,
): Generator<Progress, void> {
  for (const { id } of [...plan.shared, ...plan.own]) {
    sql(db, "UPDATE gw_routes SET epoch = epoch + 1 WHERE session_id = ?").run(id);
    yield* pause();
  }
  const cancel = sql(
    db,
    `UPDATE gw_inbox SET state = 'cancelled', reason = 'erased', finished_at = ?
     WHERE id = ? AND state IN ('waiting', 'running', 'dead')`,
  );
  for (const id of [...plan.inbox.remove, ...plan.inbox.redact]) {
    cancel.run(nowSeconds(), id);
    yield* pause();
  }
  for (const id of plan.outbox.remove) {
    sql(db, "DELETE FROM gw_outbox WHERE id = ? AND state <> 'sent'").run(id);
    yield* pause();
  }
}

/** A message's quotes come last: they may contain text that its author has since edited. */
function* eraseRepeats(
  db: Database,
  { changes, outbox, previews, inbox }: ErasurePlan,
  step: () => Generator<Progress, void>,
): Generator<Progress, void> {
  for (const { id, text } of outbox.changes) {
    // Rendered parts may spell the text differently, so they are rendered again and marked as a possible repeat.
    sql(
      db,
      `UPDATE gw_outbox SET text = ?, may_be_repeat = max(may_be_repeat, parts IS NOT NULL), parts = NULL WHERE id = ?`,
    ).run(text, id);
    yield* step();
  }
  for (const { inboxId, text } of previews) {
    sql(db, "UPDATE gw_previews SET text = ? WHERE inbox_id = ?").run(text, inboxId);
    yield* step();
  }
  for (const change of changes.filter(({ whole }) => !whole)) {
    changeMessage(db, change);
    yield* step();
  }
  for (const id of inbox.quotes) {
    dropQuote(db, id);
    yield* step();
  }
}

function changeMessage(db: Database, change: MessageChange): void {
  const { id, whole, content, toolCalls, thoughts = {} } = change;
  const values: Record<string, string | null> = { ...thoughts };
  if (content !== undefined) values.content = content;
  if (toolCalls !== undefined) values.tool_calls = toolCalls;
  if (whole) values.platform_message_id = null;
  const columns = Object.keys(values) as (ThoughtColumn | "content")[];
  if (columns.length === 0) return;
  const sets = columns.map((column) => `${column} = ?`).join(", ");
  db.prepare(`UPDATE messages SET ${sets} WHERE id = ?`).run(...Object.values(values), id);
}

function payloadOf(db: Database, id: number): InboundMessage | undefined {
  const payload = sql(db, "SELECT payload FROM gw_inbox WHERE id = ?").pluck().get(id) as string | undefined;
  return payload === undefined ? undefined : (JSON.parse(payload) as InboundMessage);
}

function savePayload(db: Database, id: number, message: InboundMessage): void {
  sql(db, "UPDATE gw_inbox SET payload = ? WHERE id = ?").run(JSON.stringify(message), id);
}

function dropQuote(db: Database, id: number): void {
  const message = payloadOf(db, id);
  if (message?.quoted) savePayload(db, id, { ...message, quoted: { text: ERASED, messageId: null } });
}

function removeInbox(db: Database, id: number): void {
  forgetNotes(db, id);
  sql(db, "DELETE FROM gw_inbox WHERE id = ?").run(id);
}

function forgetNotes(db: Database, id: number): void {
  sql(db, "DELETE FROM gw_message_changes WHERE inbox_id = ?").run(id);
  sql(db, "DELETE FROM gw_previews WHERE inbox_id = ?").run(id);
  sql(db, "DELETE FROM gw_attempts WHERE inbox_id = ?").run(id);
}

/** The event id stays, so that a redelivery by the platform is still recognised. */
function redactInbox(db: Database, id: number): void {
  forgetNotes(db, id);
  const message = payloadOf(db, id);
  if (!message) return;
  const { platform, account, eventId, origin, sentAt } = message;
  savePayload(db, id, {
    ...{ platform, account, eventId, sentAt },
    origin: withoutPerson(origin),
    text: ERASED,
    attachments: [],
    ...{ mentioned: false, repliedToBot: false, threadWithBot: false, isBot: false, authenticated: false },
  });
  sql(db, "UPDATE gw_inbox SET error = NULL WHERE id = ?").run(id);
}

/** Only where it was sent. */
export function withoutPerson(origin: Origin): Origin {
  const { userId: _, userIdAlt: __, userName: ___, messageId: ____, ...rest } = origin;
  return rest;
}

function* eraseSends(
  db: Database,
  { outbox }: ErasurePlan,
  step: () => Generator<Progress, void>,
): Generator<Progress, void> {
  for (const id of outbox.remove) {
    sql(db, "DELETE FROM gw_outbox WHERE id = ?").run(id);
    yield* step();
  }
  for (const id of outbox.redact) {
    const stored = sql(db, "SELECT target FROM gw_outbox WHERE id = ?").pluck().get(id) as string | undefined;
    if (stored === undefined) continue;
    const target: Target = { ...(JSON.parse(stored) as Target), userId: null, replyTo: null };
    sql(
      db,
      `UPDATE gw_outbox SET text = ?, target = ?, message_ids = NULL, replaces = NULL, files = NULL, error = NULL,
         parts = NULL, details = NULL, trace_id = NULL WHERE id = ?`,
    ).run(ERASED, JSON.stringify(target), id);
    yield* step();
  }
}

function eraseRoutes(db: Database, plan: ErasurePlan): void {
  const { routes, chats, person, schedules } = plan;
  for (const key of routes.remove) sql(db, "DELETE FROM gw_routes WHERE session_key = ?").run(key);
  for (const key of routes.redact) {
    const stored = sql(db, "SELECT origin FROM gw_routes WHERE session_key = ?").pluck().get(key) as
      | string
      | undefined;
    if (stored === undefined) continue;
    const origin = withoutPerson(JSON.parse(stored) as Origin);
    sql(db, "UPDATE gw_routes SET origin = ? WHERE session_key = ?").run(JSON.stringify(origin), key);
  }
  for (const chat of chats)
    sql(db, "DELETE FROM gw_penalties WHERE platform = ? AND chat_id = ?").run(person.platform, chat);
  for (const { id } of schedules) {
    sql(db, "DELETE FROM gw_schedule_runs WHERE schedule_id = ?").run(id);
    sql(db, "DELETE FROM gw_schedules WHERE id = ?").run(id);
  }
  noteRoutesChanged(db);
}

function eraseMarks(db: Database, plan: ErasurePlan): void {
  const { person, ids, shared } = plan;
  const list = marks(ids);
  for (const { id } of shared)
    db.prepare(`UPDATE sessions SET user_id = NULL WHERE id = ? AND user_id IN (${list})`).run(id, ...ids);
  for (const table of ["gw_participants", "gw_authors", "gw_pairing"])
    db.prepare(`DELETE FROM ${table} WHERE platform = ? AND user_id IN (${list})`).run(
      person.platform,
      ...ids,
    );
  forgetToolRecords(db, plan);
  for (const key of plan.keys) dropKey(db, key);
  for (const id of ids)
    sql(db, "DELETE FROM gw_pairing_limits WHERE name = ?").run(`request:${person.platform}:${id}`);
}

export const scrubDue = read(function scrubDue(db: Database): boolean {
  return sql(db, "SELECT 1 FROM state_meta WHERE key = ?").get(SCRUB_DUE) !== undefined;
});

export const scrubbed = write(function scrubbed(db: Database): void {
  sql(db, "DELETE FROM state_meta WHERE key = ?").run(SCRUB_DUE);
});
