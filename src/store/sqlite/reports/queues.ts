import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { InboundMessage } from "../../../message.js";
import type { ApprovedRow, OutboxState } from "../../queues.js";
import type {
  DeadLetter,
  DeadPage,
  DeadQuery,
  PairingPage,
  PairingQuery,
  QueueDepths,
  RecentMessage,
  RecentPage,
  RecentQuery,
  Throughput,
} from "../../reports.js";
import type { StoredInbox } from "../../shared/rows.js";
import { fromPosition, toPosition } from "../position.js";
import { type DeadSend, deadMessage, deadSend } from "../queues/record.js";
import { IS_TOLD, OPEN_IN, OPEN_OUT } from "../queues/schema.js";
import { misdatedWaits } from "../queues/waits.js";
import { sql } from "../statements.js";
import { longRead } from "../verb.js";
import { chatName } from "./names.js";

/** The queues as operators see them. Counts and oldest rows come from the partial indexes of open rows. */

export const queueDepths = longRead(function queueDepths(db: Database, since?: number): QueueDepths {
  const now = nowSeconds();
  const count = (text: string, ...params: unknown[]) =>
    sql(db, text)
      .pluck()
      .get(...params) as number;
  return {
    inbox: {
      ...{ waiting: 0, running: 0, ...byState(db, "gw_inbox", OPEN_IN) },
      dead: count(`SELECT count(*) FROM gw_inbox WHERE state = 'dead' AND ${OPEN_IN} AND NOT ${IS_TOLD}`),
    },
    outbox: {
      pending: 0,
      sending: 0,
      unknown: 0,
      dead: 0,
      ...byState(db, "gw_outbox", OPEN_OUT),
    },
    oldestWaiting: oldest(db, "gw_inbox", `state = 'waiting' AND ${OPEN_IN}`, "received_at"),
    oldestPending: oldest(db, "gw_outbox", `state = 'pending' AND ${OPEN_OUT}`, "created_at"),
    dueSince: {
      waiting: dueSince(db, "gw_inbox", `state = 'waiting' AND ${OPEN_IN}`, "received_at", now),
      running: dueSince(db, "gw_inbox", `state = 'running' AND ${OPEN_IN}`, "started_at", now),
      pending: dueSince(db, "gw_outbox", `state = 'pending' AND ${OPEN_OUT}`, "created_at", now),
      sending: dueSince(db, "gw_outbox", `state = 'sending' AND ${OPEN_OUT}`, "created_at", now),
    },
    misdated: misdatedWaits(db),
    marks: { inbox: mark(db, "gw_inbox"), outbox: mark(db, "gw_outbox"), messages: mark(db, "messages") },
    lastMinute: {
      handled: count("SELECT count(*) FROM gw_inbox WHERE finished_at >= ?", now - 60),
      sent: count("SELECT count(*) FROM gw_outbox WHERE sent_at >= ?", now - 60),
    },
    pairings: count(
      "SELECT count(*) FROM gw_pairing WHERE approved_at IS NULL AND created_at > ?",
      now - 3600,
    ),
    questions: count("SELECT count(*) FROM gw_questions WHERE state = 'open'"),
    byMinute: since === undefined ? { handled: [], sent: [] } : throughput(db, since),
  };
});

function byState(db: Database, table: string, open: string): Record<string, number> {
  const rows = sql(db, `SELECT state, count(*) FROM ${table} WHERE ${open} GROUP BY state`).raw().all() as [
    string,
    number,
  ][];
  return Object.fromEntries(rows);
}

function oldest(db: Database, table: string, where: string, time: string) {
  const row = sql(
    db,
    `SELECT id, ${time} AS at, platform FROM ${table} WHERE ${where} ORDER BY id LIMIT 1`,
  ).get();
  return (row as QueueDepths["oldestWaiting"] | undefined) ?? null;
}

function dueSince(db: Database, table: string, where: string, since: string, now: number): number | null {
  return sql(db, `SELECT min(${since}) FROM ${table} WHERE ${where} AND not_before <= ?`).pluck().get(now) as
    | number
    | null;
}

/** The last id a table assigned. */
function mark(db: Database, table: string): number {
  const seq = sql(db, "SELECT seq FROM sqlite_sequence WHERE lower(name) = ?").pluck().get(table);
  return (seq as number | undefined) ?? 0;
}

function throughput(db: Database, since: number): Throughput {
  const byMinute = (table: string, time: string) =>
    sql(
      db,
      `SELECT CAST(${time} / 60 AS INTEGER), count(*) FROM ${table} WHERE ${time} >= ? GROUP BY 1 ORDER BY 1`,
    )
      .raw()
      .all(since) as [number, number][];
  return { handled: byMinute("gw_inbox", "finished_at"), sent: byMinute("gw_outbox", "sent_at") };
}

// ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────

const LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_TEXT = 200;
/** Ids per step, and the time limit of all steps. */
const STRIDE = 2000;
const TIME_MS = 60;

export const recentMessages = longRead(function recentMessages(db: Database, query: RecentQuery): RecentPage {
  const limit = Math.min(query.limit ?? LIMIT, MAX_LIMIT);
  const newest = mark(db, "gw_inbox") + 1;
  const giveUpAt = performance.now() + TIME_MS;
  const messages: RecentMessage[] = [];
  const [from] = query.before === undefined ? [newest] : fromPosition(query.before, "number");
  let before = Math.min(from, newest);
  while (before > 1 && messages.length < limit && performance.now() < giveUpAt) {
    const wanted = limit - messages.length;
    const rows = inboxRows(db, query, { before, wanted });
    messages.push(...rows.map((row) => toRecent(db, row)));
    before = rows.length === wanted ? rows.at(-1)!.id : Math.max(1, before - STRIDE);
  }
  const oldestId = sql(db, "SELECT min(id) FROM gw_inbox").pluck().get() as number | null;
  return { messages, next: oldestId !== null && before > oldestId ? toPosition(before) : null };
});

type NamedInbox = StoredInbox & { platform: string; chat_id: string | null };

function inboxRows(
  db: Database,
  query: RecentQuery,
  { before, wanted }: { before: number; wanted: number },
): NamedInbox[] {
  return sql(
    db,
    `SELECT * FROM gw_inbox WHERE id < @before AND id >= @after AND (@platform IS NULL OR platform = @platform)
       AND (@state IS NULL OR state = @state) ORDER BY id DESC LIMIT @wanted`,
  ).all({
    before,
    after: before - STRIDE,
    platform: query.platform ?? null,
    state: query.state ?? null,
    wanted,
  }) as NamedInbox[];
}

/** States of an answer, worst first. */
const FATES: readonly OutboxState[] = ["dead", "unknown", "pending", "sending", "sent"];

function toRecent(db: Database, row: NamedInbox): RecentMessage {
  const { origin, text, attachments } = JSON.parse(row.payload) as InboundMessage;
  const fates = sql(
    db,
    "SELECT state FROM gw_outbox WHERE inbox_id = @id UNION SELECT state FROM gw_outbox WHERE turn_id = @turn",
  )
    .pluck()
    .all({ id: row.id, turn: row.turn_id }) as OutboxState[];
  return {
    id: row.id,
    platform: row.platform,
    chatType: origin.chatType,
    chatId: row.chat_id,
    chatName: origin.chatName ?? null,
    userId: origin.userId ?? null,
    userName: origin.userName ?? null,
    text: Array.from(text.slice(0, 2 * MAX_TEXT))
      .slice(0, MAX_TEXT)
      .join(""),
    attachments: attachments.length,
    state: row.state,
    reason: row.reason,
    error: row.error,
    attempts: row.attempts,
    receivedAt: row.received_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    sessionId: row.session_id,
    delivery: FATES.find((fate) => fates.includes(fate)) ?? null,
  };
}

// ── dead letters ────────────────────────────────────────────────────────────────────────────────────────────────

/** The newest of both queues, each by its own ids, into one page. */
export const deadPage = longRead(function deadPage(db: Database, query: DeadQuery): DeadPage {
  const limit = Math.min(query.limit ?? LIMIT, MAX_LIMIT);
  const { MAX_SAFE_INTEGER } = Number;
  const [beforeIn, beforeOut] =
    query.before === undefined
      ? [MAX_SAFE_INTEGER, MAX_SAFE_INTEGER]
      : fromPosition(query.before, "number", "number");
  const messages = sql(
    db,
    `SELECT * FROM gw_inbox WHERE state = 'dead' AND ${OPEN_IN} AND id < ? AND NOT ${IS_TOLD} ORDER BY id DESC LIMIT ?`,
  ).all(beforeIn, limit + 1) as StoredInbox[];
  const sends = sql(
    db,
    `SELECT * FROM gw_outbox WHERE state IN ('dead', 'unknown') AND ${OPEN_OUT} AND id < ? ORDER BY id DESC LIMIT ?`,
  ).all(beforeOut, limit + 1) as DeadSend[];
  const all = [
    ...messages.map((row) => ({ ...shortened(deadMessage(row)), state: "dead" as const })),
    ...sends.map((row) => ({ ...shortened(deadSend(row)), state: row.state as "dead" | "unknown" })),
  ].toSorted((a, b) => b.at - a.at);
  const letters = all.slice(0, limit).map((letter) => ({ ...letter, ...placeOfLetter(db, letter) }));
  const lowest = (queue: "in" | "out", from: number) =>
    letters.reduce((low, { id }) => {
      const [name, number] = id.split(":");
      return name === queue ? Math.min(low, Number(number)) : low;
    }, from);
  const next = () => toPosition(lowest("in", beforeIn), lowest("out", beforeOut));
  return { letters, next: all.length > limit ? next() : null };
});

function placeOfLetter(
  db: Database,
  { platform, chatId }: DeadLetter,
): Pick<DeadPage["letters"][number], "chatName"> {
  return { chatName: chatName(db, platform, chatId) };
}

const MAX_DEAD_TEXT = 1000;
const shortened = (letter: DeadLetter): DeadLetter => ({
  ...letter,
  text: letter.text.slice(0, MAX_DEAD_TEXT),
});

// ── pairing ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const pairingPage = longRead(function pairingPage(db: Database, query: PairingQuery): PairingPage {
  const limit = Math.min(query.limit ?? LIMIT, MAX_LIMIT);
  const [at, id] =
    query.before === undefined ? [Number.MAX_VALUE, ""] : fromPosition(query.before, "number", "string");
  const rows = sql(
    db,
    `SELECT id, platform, user_id AS userId, user_name AS userName, approved_at AS approvedAt FROM gw_pairing
     WHERE approved_at IS NOT NULL AND (approved_at, id) < (?, ?) ORDER BY approved_at DESC, id DESC LIMIT ?`,
  ).all(at, id, limit + 1) as (ApprovedRow & { id: string })[];
  const last = rows[limit - 1];
  return {
    pending: sql(
      db,
      `SELECT id, platform, user_id AS userId, user_name AS userName, created_at AS createdAt FROM gw_pairing
       WHERE approved_at IS NULL AND created_at > ? ORDER BY created_at DESC LIMIT ?`,
    ).all(query.since, MAX_LIMIT) as PairingPage["pending"],
    approved: rows.slice(0, limit).map(({ id: _, ...approved }) => approved),
    next: last && rows.length > limit ? toPosition(last.approvedAt, last.id) : null,
  };
});
