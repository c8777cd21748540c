import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import type { ModelRequest, TurnAttempt } from "../../queues.js";
import { sql } from "../statements.js";
import { lateWrite } from "../verb.js";
import { OPEN_IN } from "./schema.js";

const MAX_REQUESTS = 200;
const MAX_ERROR = 2000;
const MAX_ATTEMPTS = 50;

export const recordAttempts = lateWrite(function recordAttempts(
  db: Database,
  attempts: readonly TurnAttempt[],
): void {
  const record = sql(
    db,
    `INSERT OR REPLACE INTO gw_attempts (turn_id, inbox_id, platform, model, received_at, started_at, ended_at, outcome,
       tokens, cost_usd, error, requests) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const attempt of attempts) {
    const { requests, error } = attempt;
    const sum = (of: (one: ModelRequest) => number) => requests.reduce((total, one) => total + of(one), 0);
    record.run(
      ...[attempt.turnId, attempt.inboxId, attempt.platform, attempt.model],
      ...[attempt.receivedAt, attempt.startedAt, attempt.endedAt, attempt.outcome],
      ...[sum((one) => one.inputTokens + one.outputTokens), sum((one) => one.costUsd ?? 0)],
      ...[error?.slice(0, MAX_ERROR) ?? null, JSON.stringify(requests.slice(0, MAX_REQUESTS))],
    );
  }
});

/** Attempts that a crash has ended: what they did after their last step isn't known. */
export function recordCutOff(
  db: Database,
  bootId: string,
  { condition, values }: { condition: string; values: readonly string[] },
): void {
  sql(
    db,
    `INSERT OR IGNORE INTO gw_attempts (turn_id, inbox_id, platform, received_at, started_at, ended_at, outcome)
     SELECT turn_id, min(id), platform, min(received_at), min(started_at), ?, 'cut off' FROM gw_inbox
     WHERE state = 'running' AND ${OPEN_IN} AND boot_id IS NOT ? AND turn_id IS NOT NULL AND started_at IS NOT NULL
       AND ${condition} GROUP BY turn_id`,
  ).run(nowSeconds(), bootId, ...values);
}

interface StoredAttempt {
  turn_id: string;
  inbox_id: number;
  platform: string;
  model: string | null;
  received_at: number;
  started_at: number;
  ended_at: number;
  outcome: string;
  error: string | null;
  requests: string;
}

/** Of a message: the oldest first. Messages that were answered together have the same ones. */
export function attemptsOf(db: Database, inboxId: number, turnId: string | null): TurnAttempt[] {
  const rows = sql(
    db,
    `SELECT * FROM gw_attempts WHERE inbox_id = @inboxId
       OR inbox_id = (SELECT inbox_id FROM gw_attempts WHERE turn_id = @turnId) ORDER BY started_at LIMIT ${MAX_ATTEMPTS}`,
  ).all({ inboxId, turnId }) as StoredAttempt[];
  return rows.map((row) => ({
    turnId: row.turn_id,
    inboxId: row.inbox_id,
    platform: row.platform,
    model: row.model,
    receivedAt: row.received_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    outcome: row.outcome,
    error: row.error,
    requests: JSON.parse(row.requests) as ModelRequest[],
  }));
}
