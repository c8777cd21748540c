/** Creates and changes schedules, for the command line and the dashboard. */
import { randomBytes } from "node:crypto";
import { nowSeconds } from "../clock.js";
import type { Config } from "../config/schema.js";
import { HermesError } from "../errors.js";
import { draftSchedule, requireReadable } from "../policies/schedule.js";
import { nextTick, type When } from "../policies/when.js";
import type { ScheduleChanges, ScheduleRow } from "../store/schedules.js";
import type { Store } from "../store/store.js";
import { deliveryOf } from "../targets/find-target.js";
import type { KnownTargets } from "../targets/target.js";

export interface ScheduleDeps {
  store: Pick<Store, "addSchedule" | "changeSchedule" | "listSchedules" | "knownChats">;
  config: Pick<Config, "timezone" | "cron">;
  targets: Omit<KnownTargets, "chats">;
}

/** For edits: an empty name, target or time zone resets it to its default. */
export interface ScheduleInput {
  when?: string | undefined;
  prompt?: string | undefined;
  name?: string | undefined;
  /** Where the answers go. */
  to?: string | undefined;
  timezone?: string | undefined;
  missed?: "run" | "skip" | undefined;
}

export async function makeSchedule(
  { store, config, targets }: ScheduleDeps,
  {
    when,
    prompt,
    name,
    to = "local",
    timezone,
    missed = "run",
  }: ScheduleInput & { when: string; prompt: string },
): Promise<ScheduleRow> {
  const now = nowSeconds();
  const input = { when, prompt, name, timeZone: timezone };
  const draft = draftSchedule(input, { now, timeZone: config.timezone });
  const delivery = await deliveryOf(store, to, targets);
  const id = randomBytes(4).toString("hex");
  const schedule = { ...draft, ...delivery, id, missed, maker: null, createdAt: now };
  return store.addSchedule(schedule, config.cron.max_jobs);
}

export function editSchedule(
  deps: ScheduleDeps,
  reference: string,
  input: ScheduleInput,
): Promise<ScheduleRow> {
  const { store, config, targets } = deps;
  return change(deps, reference, async (current) => ({
    ...redrafted(current, input, config),
    ...(input.to === undefined ? {} : await deliveryOf(store, input.to || "local", targets)),
    ...(input.missed === undefined ? {} : { missed: input.missed }),
  }));
}

/** Only a new time or time zone changes when the schedule is due next. */
function redrafted(
  current: ScheduleRow,
  { when, prompt, name, timezone }: ScheduleInput,
  config: ScheduleDeps["config"],
): Partial<ScheduleChanges> {
  const input = {
    when: when ?? "@daily",
    prompt: prompt ?? current.prompt,
    name: (name ?? current.name) || undefined,
    timeZone: (timezone ?? current.timeZone) || undefined,
  };
  const draft = draftSchedule(input, { now: nowSeconds(), timeZone: config.timezone });
  const fields = { name: draft.name, prompt: draft.prompt, timeZone: draft.timeZone };
  if (when !== undefined)
    return { ...fields, when: draft.when, nextAt: draft.nextAt, ...reactivated(current) };
  return timezone === undefined ? fields : { ...fields, ...nextRun({ ...current, ...fields }, config) };
}

/** A new time reactivates a finished schedule. */
const reactivated = ({ state }: ScheduleRow) => (state === "done" ? { state: "active" as const } : {});

function nextRun({ when, timeZone }: Pick<ScheduleRow, "when" | "timeZone">, config: ScheduleDeps["config"]) {
  return { nextAt: nextTick(when as When, nowSeconds(), timeZone ?? config.timezone) };
}

export function pauseSchedule(deps: ScheduleDeps, reference: string): Promise<ScheduleRow> {
  return change(deps, reference, async ({ state }) => {
    if (state === "done") throw finished(reference);
    return { state: "paused" };
  });
}

export function resumeSchedule(deps: ScheduleDeps, reference: string): Promise<ScheduleRow> {
  return change(deps, reference, async (current) => {
    const next = nextRun(current, deps.config);
    if (next.nextAt === null) throw finished(reference);
    return { state: "active", ...next };
  });
}

/** A running gateway starts the run within about a second. */
export function requestRun(deps: ScheduleDeps, reference: string): Promise<ScheduleRow> {
  return change(deps, reference, async () => ({ runRequestedAt: nowSeconds() }));
}

async function change(
  { store, config }: ScheduleDeps,
  reference: string,
  changes: (current: ScheduleRow) => Promise<Partial<ScheduleChanges>>,
): Promise<ScheduleRow> {
  const current = await findSchedule(store, reference);
  requireReadable(current, config.timezone);
  const changed = await store.changeSchedule(current.id, await changes(current));
  if (!changed) throw await unknownSchedule(store, reference);
  return changed;
}

/** Finds a schedule by name or id. */
export async function findSchedule(
  store: Pick<Store, "listSchedules">,
  reference: string,
  query: { runs?: number } = {},
): Promise<ScheduleRow> {
  const [schedule] = await store.listSchedules({ called: reference, ...query });
  if (!schedule) throw await unknownSchedule(store, reference);
  return schedule;
}

async function unknownSchedule(store: Pick<Store, "listSchedules">, reference: string): Promise<HermesError> {
  const names = (await store.listSchedules()).map(({ name, id }) => `"${name}" (${id})`);
  return new HermesError("not_found", `There is no schedule "${reference}".`, {
    hint: names.length === 0 ? "There are no schedules." : `Schedules: ${names.slice(0, 10).join(", ")}.`,
  });
}

function finished(reference: string): HermesError {
  return new HermesError("invalid", `"${reference}" has finished: it has no more runs.`, {
    hint: "`hermes cron edit NAME --when TIME` sets a new time.",
  });
}
