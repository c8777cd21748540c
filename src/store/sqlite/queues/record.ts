import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import { type EventOutcome, type InboundMessage, targetOf } from "../../../message.js";
import { endAfterTurn } from "../../../one-turn.js";
import { failureText } from "../../../task.js";
import { traceIdOfRequest } from "../../../trace-id.js";
import type { ChatLogEntry, InboxRow, Owners, Recovered, RecoveryNotices, ThreadName } from "../../queues.js";
import type { DeadLetter, Trace } from "../../reports.js";
import {
  filesOf,
  type StoredInbox,
  type StoredOutbox,
  toDeliveryRow,
  toInboxRow,
  toOutboxRow,
} from "../../shared/rows.js";
import type { Progress } from "../../store.js";
import { Slice } from "../slice.js";
import { sql } from "../statements.js";
import { longRead, read, write } from "../verb.js";
import { attemptsOf } from "./attempts.js";
import { noteOf } from "./changes.js";
import { recoverInbox } from "./inbox.js";
import { pruneKeys } from "./keys.js";
import { addReply, recoverOutbox } from "./outbox.js";
import { openPenalties } from "./platforms.js";
import { getQuestion } from "./questions.js";
import { pruneSteps, type StoredCall, toCall } from "./steps.js";
import { endWith } from "./turns.js";

/** Recovery, chat logs, message traces and dead letters. */

export const recover = write(function recover(
  db: Database,
  bootId: string,
  maxAttempts: number,
  notices: RecoveryNotices,
  owners?: Owners,
): Recovered {
  const inbox = recoverInbox(db, bootId, maxAttempts, owners);
  const tell = (row: InboxRow, notice: string) => {
    const { message, sessionKey, id } = row;
    const text = failureText(message.task, message.task ? "it was interrupted too often" : notice);
    const of = { inboxId: id, nonce: `r${id}.${bootId}` };
    if (text !== undefined) addReply(db, { target: targetOf(message), kind: "notice", text, sessionKey }, of);
  };
  for (const row of inbox.dead) {
    tell(row, notices.dead);
    endWith(db, row.sessionKey, endAfterTurn(row));
  }
  for (const row of inbox.interrupted) tell(row, notices.interrupted);
  return { ...inbox, unsettled: recoverOutbox(db, bootId, owners), penalties: openPenalties(db) };
});

export const chatLog = read(function chatLog(
  db: Database,
  platform: string,
  chat: string | ThreadName,
  limit: number,
): ChatLogEntry[] {
  const { chatId, ...thread } = typeof chat === "string" ? { chatId: chat } : chat;
  const of = { platform, chatId, limit, ...thread };
  const within = (column: string, name: string) =>
    "threadId" in thread ? `AND ${column} ->> '$.${name}' IS @threadId` : "";
  const written = sql(
    db,
    `SELECT * FROM gw_inbox WHERE platform = @platform AND chat_id = @chatId AND state <> 'refused'
       AND reason IS NOT 'deleted' AND payload ->> '$.fromCommand' IS NULL AND payload ->> '$.choice' IS NULL
       ${within("payload", "origin.threadId")} ORDER BY id DESC LIMIT @limit`,
  ).all(of) as StoredInbox[];
  const got = sql(
    db,
    `SELECT * FROM gw_outbox WHERE platform = @platform AND chat_id = @chatId AND state = 'sent'
       ${within("target", "threadId")} ORDER BY id DESC LIMIT @limit`,
  ).all(of) as StoredOutbox[];
  const entries = [...written.map(fromUser), ...got.map((row) => fromBot(db, row))];
  return entries.toSorted((a, b) => a.at - b.at).slice(-limit);
});

function fromUser(row: StoredInbox): ChatLogEntry {
  const { text } = JSON.parse(row.payload) as InboundMessage;
  return {
    id: `in:${row.id}`,
    from: "user",
    kind: "message",
    text,
    at: row.received_at,
    turnId: row.turn_id,
    files: [],
    written: { eventId: row.event_id, state: row.state, reason: row.reason },
  };
}

function fromBot(db: Database, row: StoredOutbox): ChatLogEntry {
  const { id, kind, text, created_at, turn_id } = row;
  const asked = row.question === null ? undefined : toOutboxRow(row).question;
  const question = asked && getQuestion(db, { id: asked.id });
  return {
    ...{ id: `out:${id}`, from: "bot", kind, text, at: created_at, turnId: turn_id, files: filesOf(row) },
    ...(question ? { question } : {}),
  };
}

export type DeadSend = StoredOutbox & { session_key: string | null };

export function deadMessage(row: StoredInbox): DeadLetter {
  const { sessionKey, message, error, attempts, receivedAt } = toInboxRow(row);
  const { platform, origin, text } = message;
  const { chatId } = origin;
  return { id: `in:${row.id}`, sessionKey, platform, chatId, text, error, attempts, at: receivedAt };
}

export function deadSend(row: DeadSend): DeadLetter {
  const { target, text, attempts, createdAt } = toOutboxRow(row);
  const { platform, chatId } = target;
  const { session_key: sessionKey, error } = row;
  return { id: `out:${row.id}`, sessionKey, platform, chatId, text, error, attempts, at: createdAt };
}

/** By `in:12` or 12, trace or request id, the platform's event or message id, or the id of a sent answer. */
export const traceMessage = longRead(function traceMessage(db: Database, reference: string): Trace[] {
  const number = /^(?:in:)?(\d+)$/.exec(reference)?.[1] ?? null;
  const rows = sql(
    db,
    `SELECT * FROM gw_inbox WHERE id = @number OR event_id = @reference
       OR json_extract(payload, '$.origin.messageId') = @reference OR json_extract(payload, '$.traceId') = @traceId
       OR id IN (SELECT inbox_id FROM gw_outbox WHERE 'out:' || id = @reference OR message_ids LIKE @quoted)
     ORDER BY id LIMIT 20`,
  ).all({
    number: number === null ? null : Number(number),
    reference,
    traceId: traceIdOfRequest(reference),
    quoted: `%"${reference}"%`,
  }) as StoredInbox[];
  return rows.map((row) => traceOf(db, row));
});

function traceOf(db: Database, row: StoredInbox): Trace {
  const deliveries = sql(
    db,
    "SELECT * FROM gw_outbox WHERE inbox_id = ? OR (turn_id IS NOT NULL AND turn_id = ?) ORDER BY id",
  ).all(row.id, row.turn_id) as StoredOutbox[];
  const step = (at: number | null, what: string, detail: string | null = null) =>
    at === null ? [] : [{ at, what, detail }];
  const { message } = toInboxRow(row);
  const steps = [
    ...step(message.sentAt, "sent by the user"),
    ...step(row.received_at, "accepted"),
    ...step(row.started_at, "turn started", row.turn_id),
    ...step(row.finished_at, row.state, row.reason ?? row.error),
    ...changeSteps(noteOf(db, row.id), step),
    ...callSteps(db, row.turn_id),
    ...deliveries.flatMap((d) => [
      ...step(d.created_at, "answer stored", `out:${d.id}`),
      ...step(d.sent_at, "answer sent", d.message_ids),
    ]),
  ];
  return {
    attempts: attemptsWithCalls(db, row),
    inbox: toInboxRow(row),
    reason: row.reason,
    turnId: row.turn_id,
    sessionId: row.session_id,
    steps: steps.toSorted((a, b) => a.at - b.at),
    deliveries: deliveries.map(toDeliveryRow),
  };
}

export const eventOutcome = read(function eventOutcome(
  db: Database,
  platform: string,
  account: string,
  eventId: string,
): EventOutcome | undefined {
  // A command's follow-up turn has its own row, `<event>/<command>` ("0" follows "/").
  const rows = sql(
    db,
    `SELECT * FROM gw_inbox WHERE platform = @platform AND account = @account
       AND (event_id = @event OR (event_id > @event || '/' AND event_id < @event || '0')) ORDER BY id`,
  ).all({ platform, account, event: eventId }) as StoredInbox[];
  const row = rows.find(({ event_id }) => event_id === eventId);
  if (!row) return undefined;
  const answers = rows.flatMap(
    ({ id }) => sql(db, "SELECT * FROM gw_outbox WHERE inbox_id = ? ORDER BY id").all(id) as StoredOutbox[],
  );
  return {
    message: toInboxRow(row).message,
    over: rows.every(({ state }) => state !== "waiting" && state !== "running"),
    sessionId: rows.at(-1)!.session_id,
    receivedAt: row.received_at,
    answers: answers.map(toOutboxRow),
  };
});

/** A turn's next attempt takes the calls over, so their times tell whose they are. */
function attemptsWithCalls(db: Database, row: StoredInbox): Trace["attempts"] {
  const attempts = attemptsOf(db, row.id, row.turn_id);
  const calls = attempts.flatMap(({ turnId }) => callsOf(db, turnId)).map(toCall);
  const next = (i: number) => attempts[i + 1]?.startedAt ?? Number.POSITIVE_INFINITY;
  return attempts.map((attempt, i) => ({
    ...attempt,
    calls: calls.filter(({ createdAt }) => {
      const isFirst = i === 0 || createdAt >= attempt.startedAt;
      return isFirst && createdAt < next(i);
    }),
  }));
}

function callsOf(db: Database, turnId: string): StoredCall[] {
  return sql(db, "SELECT * FROM gw_tool_calls WHERE turn_id = ? ORDER BY seq LIMIT ?").all(
    turnId,
    MAX_CALLS,
  ) as StoredCall[];
}

/** Calls from one model response have the same time. */
function callSteps(db: Database, turnId: string | null): Trace["steps"] {
  if (turnId === null) return [];
  return callsOf(db, turnId).flatMap((call) => {
    const { tool, state, created_at, started_at, ended_at, decided_by } = call;
    const seconds = ended_at === null || started_at === null ? "" : `${(ended_at - started_at).toFixed(2)} s`;
    const approval = decided_by === null ? "" : `decided by ${decided_by}`;
    const detail = [seconds, approval].filter((part) => part !== "").join(", ") || null;
    const end = ended_at === null ? [] : [{ at: ended_at, what: `${tool} ${state}`, detail }];
    return [{ at: created_at, what: `the model called ${tool}`, detail: null }, ...end];
  });
}

const MAX_CALLS = 200;

type Step = (at: number, what: string, detail?: string) => Trace["steps"];

function changeSteps(note: ReturnType<typeof noteOf>, step: Step): Trace["steps"] {
  if (!note) return [];
  const { at, text } = note;
  return text === null ? step(at, "taken back") : step(at, "edited", text);
}

const ROWS_PER_BATCH = 500;

export const pruneQueues = write(function* pruneQueues(
  db: Database,
  olderThanSeconds: number,
): Generator<Progress, number> {
  const before = nowSeconds() - olderThanSeconds;
  const slice = new Slice();
  let removed = 0;
  for (const [table, time, open] of [
    ["gw_inbox", "finished_at", "'waiting', 'running', 'dead'"],
    ["gw_outbox", "sent_at", "'pending', 'sending', 'unknown', 'dead'"],
    ["gw_attempts", "ended_at", null],
  ] as const) {
    const isOver = open === null ? "" : `AND state NOT IN (${open})`;
    const some = sql(
      db,
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${time} < ? ${isOver} LIMIT ${ROWS_PER_BATCH})`,
    );
    for (let changes = -1; changes !== 0; removed += changes) {
      changes = some.run(before).changes;
      yield* slice.pause({ step: "Removing old queue rows", done: removed, total: 0 });
    }
  }
  pruneSteps(db, before);
  pruneKeys(db);
  for (const table of ["gw_message_changes", "gw_previews"])
    sql(db, `DELETE FROM ${table} WHERE inbox_id < (SELECT COALESCE(min(id), 0) FROM gw_inbox)`).run();
  return removed;
});
