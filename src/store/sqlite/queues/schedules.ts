import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import { HermesError } from "../../../errors.js";
import type { ScheduledRun } from "../../../task.js";
import type { NewSchedule, RunRow, ScheduleChanges, ScheduleQuery, ScheduleRow } from "../../schedules.js";
import { isDoubled } from "../faults.js";
import { noteRoutesChanged } from "../meta.js";
import { sql } from "../statements.js";
import { read, write } from "../verb.js";
import { closeRoute, getRoute } from "./routes.js";

interface StoredSchedule {
  id: string;
  name: string;
  prompt: string;
  rule: string;
  time_zone: string | null;
  missed: "run" | "skip";
  deliver: string;
  target: string | null;
  maker: string | null;
  state: ScheduleRow["state"];
  next_at: number | null;
  run_requested_at: number | null;
  created_at: number;
}

interface StoredRun {
  tick: number;
  at: number;
  manual: number;
  reason: string | null;
  inbox_id: number | null;
  inbox_state: string | null;
  inbox_error: string | null;
  session_id: string | null;
  delivery: RunRow["delivery"];
}

/** How many runs are kept per schedule. */
const RUNS_KEPT = 100;
/** How many finished schedules are kept for inspection. */
const DONE_KEPT = 100;
const DUE_PER_BATCH = 100;

export const addSchedule = write(function addSchedule(
  db: Database,
  schedule: NewSchedule,
  max: number,
): ScheduleRow {
  const repeated = getSchedule(db, schedule.id);
  if (repeated) return repeated;
  const open = sql(db, "SELECT count(*) FROM gw_schedules WHERE state <> 'done'").pluck().get() as number;
  if (open >= max)
    throw new HermesError("refused", `There are already ${open} schedules.`, {
      hint: "Remove one, or raise cron.max_jobs.",
    });
  sql(
    db,
    `DELETE FROM gw_schedules WHERE state = 'done' AND id NOT IN
       (SELECT id FROM gw_schedules WHERE state = 'done' ORDER BY created_at DESC LIMIT ?)`,
  ).run(DONE_KEPT);
  sql(db, "DELETE FROM gw_schedule_runs WHERE schedule_id NOT IN (SELECT id FROM gw_schedules)").run();
  explainDoubled(schedule.name, () =>
    sql(
      db,
      `INSERT INTO gw_schedules (id, name, prompt, rule, time_zone, missed, deliver, target, maker, next_at, created_at)
       VALUES (@id, @name, @prompt, @rule, @time_zone, @missed, @deliver, @target, @maker, @next_at, @created_at)`,
    ).run({ ...columnsOf(schedule), id: schedule.id, created_at: schedule.createdAt }),
  );
  return getSchedule(db, schedule.id)!;
});

export const listSchedules = read(function listSchedules(
  db: Database,
  { called, dueAt, runs }: ScheduleQuery = {},
): ScheduleRow[] {
  const found =
    dueAt !== undefined
      ? dueSchedules(db, dueAt)
      : called !== undefined
        ? findSchedule(db, called)
        : allSchedules(db);
  if (runs === undefined) return found;
  return found.map((schedule) => ({ ...schedule, runs: scheduleRuns(db, schedule.id, runs) }));
});

function allSchedules(db: Database): ScheduleRow[] {
  const rows = sql(
    db,
    "SELECT * FROM gw_schedules ORDER BY state = 'done', name COLLATE NOCASE",
  ).all() as StoredSchedule[];
  return rows.map((row) => toSchedule(db, row));
}

function findSchedule(db: Database, reference: string): ScheduleRow[] {
  const rows = sql(
    db,
    `SELECT * FROM gw_schedules WHERE id = @reference OR name = @reference COLLATE NOCASE
     ORDER BY id = @reference DESC, state = 'done', created_at DESC LIMIT 1`,
  ).all({ reference }) as StoredSchedule[];
  return rows.map((row) => toSchedule(db, row));
}

export const changeSchedule = write(function changeSchedule(
  db: Database,
  id: string,
  changes: Partial<ScheduleChanges> | "remove",
): ScheduleRow | undefined {
  const current = getSchedule(db, id);
  if (changes === "remove") {
    removeSchedule(db, id);
    return current;
  }
  if (!current || current.fault !== null) return undefined;
  const { skipped, ...changed } = changes;
  const next = { ...current, ...changed };
  explainDoubled(next.name, () =>
    sql(
      db,
      `UPDATE gw_schedules SET name = @name, prompt = @prompt, rule = @rule, time_zone = @time_zone, missed = @missed,
         deliver = @deliver, target = @target, maker = @maker, next_at = @next_at, state = @state,
         run_requested_at = @run_requested_at WHERE id = @id`,
    ).run({ ...columnsOf(next), id, state: next.state, run_requested_at: next.runRequestedAt }),
  );
  if (skipped) addRun(db, { scheduleId: id, manual: false, inboxId: null, ...skipped });
  return getSchedule(db, id);
});

/** Silences it: cancels waiting and running runs and answers that aren't sent yet. */
function removeSchedule(db: Database, id: string): void {
  const runs = "SELECT inbox_id FROM gw_schedule_runs WHERE schedule_id = @id AND inbox_id IS NOT NULL";
  const open = sql(
    db,
    `UPDATE gw_inbox SET state = 'cancelled', reason = 'its schedule was removed', finished_at = @now
     WHERE state IN ('waiting', 'running', 'dead') AND id IN (${runs}) RETURNING session_key`,
  )
    .pluck()
    .all({ id, now: nowSeconds() }) as string[];
  // Without its route, a turn can't write.
  for (const key of open) {
    const route = getRoute(db, key);
    if (route) closeRoute(db, key, route.sessionId, "cron_complete");
  }
  if (open.length > 0) noteRoutesChanged(db);
  sql(db, `DELETE FROM gw_outbox WHERE state IN ('pending', 'dead') AND inbox_id IN (${runs})`).run({ id });
  sql(db, "DELETE FROM gw_schedule_runs WHERE schedule_id = ?").run(id);
  sql(db, "DELETE FROM gw_schedules WHERE id = ?").run(id);
}

function dueSchedules(db: Database, now: number): ScheduleRow[] {
  const rows = sql(
    db,
    `SELECT s.*, EXISTS (SELECT 1 FROM gw_schedule_runs r JOIN gw_inbox i ON i.id = r.inbox_id
       WHERE r.schedule_id = s.id AND i.state IN ('waiting', 'running')) AS busy
     FROM gw_schedules s WHERE (s.state = 'active' AND s.next_at <= ?) OR s.run_requested_at IS NOT NULL
     ORDER BY s.next_at LIMIT ?`,
  ).all(now, DUE_PER_BATCH) as (StoredSchedule & { busy: number })[];
  return rows.map((row) => ({ ...toSchedule(db, row), isBusy: row.busy === 1 }));
}

/** Runs in the transaction that accepts its message. If the run already exists, only advances the schedule. */
export function startRun(db: Database, run: ScheduledRun, inboxId: number | undefined): void {
  const { scheduleId, tick, nextAt } = run;
  if (inboxId !== undefined) {
    settleFailed(db, scheduleId);
    addRun(db, { scheduleId, tick, manual: run.manual === true, inboxId, reason: null });
  }
  if (run.manual) sql(db, "UPDATE gw_schedules SET run_requested_at = NULL WHERE id = ?").run(scheduleId);
  else moveOn(db, scheduleId, nextAt);
}

/**
 * Failed runs aren't retried, because the next run replaces them, and a schedule that fails for weeks must
 * not fill the dead letters. The run keeps the reason.
 */
function settleFailed(db: Database, scheduleId: string): void {
  const failed = "SELECT inbox_id FROM gw_schedule_runs WHERE schedule_id = @id AND inbox_id IS NOT NULL";
  sql(
    db,
    `UPDATE gw_schedule_runs SET reason = (SELECT error FROM gw_inbox i WHERE i.id = inbox_id)
     WHERE schedule_id = @id AND inbox_id IN (SELECT id FROM gw_inbox WHERE state = 'dead' AND id IN (${failed}))`,
  ).run({ id: scheduleId });
  sql(
    db,
    `UPDATE gw_inbox SET state = 'cancelled', reason = 'a later run took its place'
     WHERE state = 'dead' AND id IN (${failed})`,
  ).run({ id: scheduleId });
  sql(db, `DELETE FROM gw_outbox WHERE state = 'dead' AND inbox_id IN (${failed})`).run({ id: scheduleId });
}

function moveOn(db: Database, scheduleId: string, nextAt: number | null): void {
  sql(
    db,
    "UPDATE gw_schedules SET next_at = @nextAt, state = CASE WHEN @nextAt IS NULL THEN 'done' ELSE state END WHERE id = @id",
  ).run({ nextAt, id: scheduleId });
}

function addRun(
  db: Database,
  run: { scheduleId: string; tick: number; manual: boolean; inboxId: number | null; reason: string | null },
): void {
  const { scheduleId, tick, manual, inboxId, reason } = run;
  sql(
    db,
    `INSERT INTO gw_schedule_runs (schedule_id, tick, manual, inbox_id, reason, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (schedule_id, tick, manual) DO NOTHING`,
  ).run(scheduleId, tick, manual ? 1 : 0, inboxId, reason, nowSeconds());
  sql(
    db,
    `DELETE FROM gw_schedule_runs WHERE schedule_id = @id AND id NOT IN
       (SELECT id FROM gw_schedule_runs WHERE schedule_id = @id ORDER BY id DESC LIMIT ${RUNS_KEPT})`,
  ).run({ id: scheduleId });
}

function scheduleRuns(db: Database, id: string, limit: number): RunRow[] {
  const rows = sql(
    db,
    `SELECT r.*, i.state AS inbox_state, i.error AS inbox_error, i.session_id,
       (SELECT o.state FROM gw_outbox o WHERE o.inbox_id = r.inbox_id ORDER BY o.id DESC LIMIT 1) AS delivery
     FROM gw_schedule_runs r LEFT JOIN gw_inbox i ON i.id = r.inbox_id
     WHERE r.schedule_id = ? ORDER BY r.id DESC LIMIT ?`,
  ).all(id, limit) as StoredRun[];
  return rows.map(toRun);
}

function getSchedule(db: Database, id: string): ScheduleRow | undefined {
  const row = sql(db, "SELECT * FROM gw_schedules WHERE id = ?").get(id) as StoredSchedule | undefined;
  return row && toSchedule(db, row);
}

function toSchedule(db: Database, row: StoredSchedule): ScheduleRow {
  return {
    id: row.id,
    name: row.name,
    prompt: row.prompt,
    timeZone: row.time_zone,
    missed: row.missed,
    deliver: row.deliver,
    ...parsedColumns(row),
    state: row.state,
    nextAt: row.next_at,
    runRequestedAt: row.run_requested_at,
    createdAt: row.created_at,
    lastRun: scheduleRuns(db, row.id, 1)[0] ?? null,
  };
}

function columnsOf(schedule: Omit<NewSchedule, "id" | "createdAt">): Record<string, unknown> {
  const { name, prompt, when, timeZone, missed, deliver, target, maker, nextAt } = schedule;
  return {
    name,
    prompt,
    rule: JSON.stringify(when),
    time_zone: timeZone,
    missed,
    deliver,
    target: target && JSON.stringify(target),
    maker: maker && JSON.stringify(maker),
    next_at: nextAt,
  };
}

/** A schedule that another version wrote, or that is corrupt, must not block the others. */
function parsedColumns(row: StoredSchedule): Pick<ScheduleRow, "when" | "target" | "maker" | "fault"> {
  const columns = ["rule", "target", "maker"] as const;
  const broken = columns.find((column) => row[column] !== null && !isJsonObject(row[column]));
  if (broken !== undefined)
    return { when: null, target: null, maker: null, fault: `Its ${broken} isn't a JSON object.` };
  const [when, target, maker] = columns.map((column) => JSON.parse(row[column] ?? "null"));
  return { when, target, maker, fault: null };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function toRun(row: StoredRun): RunRow {
  return {
    tick: row.tick,
    at: row.at,
    manual: row.manual === 1,
    state: stateOf(row),
    reason: row.reason ?? row.inbox_error,
    sessionId: row.session_id,
    inboxId: row.inbox_id,
    delivery: row.delivery,
  };
}

/** A row missing from the inbox was finished; a failed one left its reason. */
function stateOf({ inbox_id, inbox_state, reason }: StoredRun): RunRow["state"] {
  if (inbox_id === null) return "skipped";
  if (inbox_state === "dead" || inbox_state === "refused" || reason !== null) return "failed";
  if (inbox_state === "waiting" || inbox_state === "running" || inbox_state === "cancelled")
    return inbox_state;
  return "done";
}

function explainDoubled(name: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isDoubled(error)) throw error;
    throw new HermesError("conflict", `There is already a schedule called "${name}".`, {
      hint: "Give it another name.",
    });
  }
}
