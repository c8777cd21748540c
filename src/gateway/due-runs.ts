import type { DueRun } from "../adapters/cron/index.js";
import type { Config } from "../config/schema.js";
import { findTarget } from "../delivery/find-target.js";
import type { Places } from "../delivery/target.js";
import { HermesError } from "../errors.js";
import type { Target } from "../message.js";
import { faultOf, planRun } from "../policies/schedule.js";
import { nextTick, type When } from "../policies/when.js";
import { localTime } from "../routing/commands/parts/times.js";
import type { DueSchedule } from "../store/schedules.js";
import type { Store } from "../store/store.js";

/** Schedules that are due → the runs that begin now; ticks that get none are noted with their reason. */
export interface DueDeps {
  store: Store;
  config: Config;
  places: Omit<Places, "chats">;
  /** Told once of each schedule that is due and can't be read. */
  unreadable(schedule: { id: string; name: string }, fault: string): void;
}

async function dueRuns(deps: DueDeps, schedules: readonly DueSchedule[], now: number): Promise<DueRun[]> {
  const { store, config } = deps;
  const runs: DueRun[] = [];
  for (const schedule of schedules) {
    const decision = decide(schedule, config, now);
    if (decision === "wait") continue;
    const begun = decision.run ? await addressed(decision, schedule, deps) : decision;
    if (begun.run) runs.push(runOf(schedule, begun, config));
    else await skip(store, schedule, begun);
  }
  return runs;
}

/**
 * Times that are still to come are told anew: the configured zone may be another than at the last start, or a clock that
 * was ahead has been put right, and what comes next would lie in its future.
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

/** Clocks are put right by moments all the time: that changes no schedule. */
const PUT_BACK_SECONDS = 60;

/** What is due at each look, also after the clock was put back. */
export function dueByClock(deps: DueDeps): (now: number) => Promise<DueRun[]> {
  const { store, config, unreadable } = deps;
  let latest = Number.NEGATIVE_INFINITY;
  let told = new Set<string>();
  return async (now) => {
    if (now < latest - PUT_BACK_SECONDS) await realign(deps, now);
    latest = now;
    const due = (await store.dueSchedules(now)).map((schedule) => ({
      schedule,
      fault: faultOf(schedule, config.timezone),
    }));
    for (const { schedule, fault } of due)
      if (fault !== null && !told.has(schedule.id)) unreadable(schedule, fault);
    told = new Set(due.flatMap(({ schedule, fault }) => (fault === null ? [] : [schedule.id])));
    const sound = due.flatMap(({ schedule, fault }) => (fault === null ? [schedule] : []));
    return dueRuns(deps, sound, now);
  };
}

interface Tick {
  tick: number;
  nextAt: number | null;
  manual?: true;
}
type Begun = Tick & { run: true; isLate: boolean; target?: Target | undefined };
type Skipped = Tick & { run: false; reason: string };

const REASONS = { missed: "nobody was there at its time", busy: "the run before was still going" };

/** By the clock first; a run that somebody wants waits until the one before is over. */
function decide(schedule: DueSchedule, config: Config, now: number): Begun | Skipped | "wait" {
  const { nextAt, state, isBusy, runRequestedAt } = schedule;
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

/** A home may have moved since. */
async function addressed(
  begun: Begun,
  { target, deliver }: DueSchedule,
  { store, places }: DueDeps,
): Promise<Begun | Skipped> {
  try {
    return { ...begun, target: target ?? (await findTarget(store, deliver, places)) };
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    return { ...begun, run: false, reason: error.message };
  }
}

async function skip(
  store: Store,
  { id }: DueSchedule,
  { tick, nextAt, manual, reason }: Skipped,
): Promise<void> {
  if (manual) await store.changeSchedule(id, { runRequestedAt: null });
  await store.skipRun({ scheduleId: id, tick, nextAt, reason });
}

function runOf(
  schedule: DueSchedule,
  { tick, nextAt, manual, isLate, target }: Begun,
  config: Config,
): DueRun {
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
    // The operator's own schedules may see what the operator sees.
    principal: maker ?? { platform: "cron", userId: id, owner: true },
    failsQuietly: lastRun?.state === "failed",
    ...(manual ? { manual } : {}),
  };
}

const oneLine = (name: string) => name.replace(/[*_`\s]+/g, " ").trim();
