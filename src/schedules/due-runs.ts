import type { DueRun } from "../adapters/cron/index.js";
import { localTime } from "../commands/parts/times.js";
import type { Config } from "../config/schema.js";
import { HermesError } from "../errors.js";
import type { Target } from "../message.js";
import { faultOf, planRun } from "../policies/schedule.js";
import { nextTick, type When } from "../policies/when.js";
import type { ScheduleRow } from "../store/schedules.js";
import type { Store } from "../store/store.js";
import { findTarget } from "../targets/find-target.js";
import type { KnownTargets } from "../targets/target.js";

export interface DueDeps {
  store: Store;
  config: Config;
  targets: Omit<KnownTargets, "chats">;
  /** Called once for each due schedule that can't be read. */
  unreadable(schedule: { id: string; name: string }, fault: string): void;
}

/** The runs to start now. Records skipped ticks with their reason. */
async function dueRuns(deps: DueDeps, schedules: readonly ScheduleRow[], now: number): Promise<DueRun[]> {
  const { store, config } = deps;
  const runs: DueRun[] = [];
  for (const schedule of schedules) {
    const decision = decide(schedule, config, now);
    if (decision === "wait") continue;
    const outcome = decision.run ? await withTarget(decision, schedule, deps) : decision;
    if (outcome.run) runs.push(runOf(schedule, outcome, config));
    else await skip(store, schedule, outcome);
  }
  return runs;
}

/**
 * Recomputes future due times: the configured zone may have changed since the last start, or a clock that was
 * ahead was corrected and the due times are too late.
 */
export async function realign(
  { store, config }: Pick<DueDeps, "store" | "config">,
  now: number,
): Promise<void> {
  for (const schedule of await store.listSchedules()) {
    const { id, when, timeZone, state, nextAt } = schedule;
    if (state !== "active" || nextAt === null || nextAt <= now) continue;
    if (faultOf(schedule, config.timezone) !== null) continue;
    const next = nextTick(when as When, now, timeZone ?? config.timezone);
    if (next !== nextAt) await store.changeSchedule(id, { nextAt: next });
  }
}

/** Smaller clock corrections are normal and don't affect schedules. */
const MIN_SET_BACK_SECONDS = 60;

/** Returns the due runs at each call, even after the clock was set back. */
export function dueByClock(deps: DueDeps): (now: number) => Promise<DueRun[]> {
  const { store, config, unreadable } = deps;
  let latest = Number.NEGATIVE_INFINITY;
  let reported = new Set<string>();
  return async (now) => {
    if (now < latest - MIN_SET_BACK_SECONDS) await realign(deps, now);
    latest = now;
    const due = (await store.listSchedules({ dueAt: now })).map((schedule) => ({
      schedule,
      fault: faultOf(schedule, config.timezone),
    }));
    for (const { schedule, fault } of due)
      if (fault !== null && !reported.has(schedule.id)) unreadable(schedule, fault);
    reported = new Set(due.flatMap(({ schedule, fault }) => (fault === null ? [] : [schedule.id])));
    const readable = due.flatMap(({ schedule, fault }) => (fault === null ? [schedule] : []));
    return dueRuns(deps, readable, now);
  };
}

interface Tick {
  tick: number;
  nextAt: number | null;
  manual?: true;
}
type Due = Tick & { run: true; isLate: boolean; target?: Target | undefined };
type Skipped = Tick & { run: false; reason: string };

const REASONS = { missed: "the gateway was not running", busy: "the previous run had not finished" };

/** Due ticks first; a requested run waits until the previous run has finished. */
function decide(schedule: ScheduleRow, config: Config, now: number): Due | Skipped | "wait" {
  const { nextAt, state, isBusy = false, runRequestedAt } = schedule;
  if (state === "active" && nextAt !== null && nextAt <= now) {
    const plan = planRun({
      when: schedule.when as When,
      dueAt: nextAt,
      timeZone: schedule.timeZone ?? config.timezone,
      missed: schedule.missed,
      graceSeconds: config.cron.missed_grace,
      isBusy,
      now,
    });
    return plan.run ? plan : { ...plan, reason: REASONS[plan.reason] };
  }
  if (runRequestedAt === null || isBusy) return "wait";
  return { tick: runRequestedAt, nextAt, manual: true, run: true, isLate: false };
}

/** Resolves the target now: a home channel may have changed. */
async function withTarget(
  due: Due,
  { target, deliver }: ScheduleRow,
  { store, targets }: DueDeps,
): Promise<Due | Skipped> {
  try {
    return { ...due, target: target ?? (await findTarget(store, deliver, targets)) };
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    return { ...due, run: false, reason: error.message };
  }
}

async function skip(
  store: Store,
  { id }: ScheduleRow,
  { tick, nextAt, manual, reason }: Skipped,
): Promise<void> {
  await store.changeSchedule(id, {
    ...{ nextAt, skipped: { tick, reason } },
    ...(nextAt === null ? { state: "done" as const } : {}),
    ...(manual ? { runRequestedAt: null } : {}),
  });
}

function runOf(schedule: ScheduleRow, { tick, nextAt, manual, isLate, target }: Due, config: Config): DueRun {
  const { id, name, prompt, maker, lastRun } = schedule;
  const due = isLate ? `, due ${localTime(tick, schedule.timeZone ?? config.timezone)}` : "";
  return {
    scheduleId: id,
    tick,
    nextAt,
    name,
    prompt,
    target,
    heading: config.cron.wrap_response ? `**Cronjob Response: ${oneLine(name)}**${due}` : undefined,
    principal: maker ?? undefined,
    failsQuietly: lastRun?.state === "failed",
    ...(manual ? { manual } : {}),
  };
}

const oneLine = (name: string) => name.replace(/[*_`\s]+/g, " ").trim();
