/** What an operator does with schedules, from the command line and the dashboard. */
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

export interface ScheduleWords {
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
  }: ScheduleWords & { when: string; prompt: string },
): Promise<ScheduleRow> {
  const now = nowSeconds();
  const words = { when, prompt, name, timeZone: timezone };
  const draft = draftSchedule(words, { now, timeZone: config.timezone });
  const delivery = await deliveryOf(store, to, targets);
  const id = randomBytes(4).toString("hex");
  const made = { ...draft, ...delivery, id, missed, maker: null, createdAt: now };
  return store.addSchedule(made, config.cron.max_jobs);
}

export function editSchedule(
  deps: ScheduleDeps,
  reference: string,
  words: ScheduleWords,
): Promise<ScheduleRow> {
  const { store, config, targets } = deps;
  return change(deps, reference, async (current) => ({
    ...redrafted(current, words, config),
    ...(words.to === undefined ? {} : await deliveryOf(store, words.to, targets)),
    ...(words.missed === undefined ? {} : { missed: words.missed }),
  }));
}

/** Only a changed time restarts the count from now. */
function redrafted(
  current: ScheduleRow,
  { when, prompt, name, timezone }: ScheduleWords,
  config: ScheduleDeps["config"],
): Partial<ScheduleChanges> {
  const words = {
    when: when ?? "@daily",
    prompt: prompt ?? current.prompt,
    name: name ?? current.name,
    timeZone: timezone ?? current.timeZone ?? undefined,
  };
  const draft = draftSchedule(words, { now: nowSeconds(), timeZone: config.timezone });
  const said = { name: draft.name, prompt: draft.prompt, timeZone: draft.timeZone };
  if (when !== undefined) return { ...said, when: draft.when, nextAt: draft.nextAt, ...revived(current) };
  return timezone === undefined ? said : { ...said, ...fromNow({ ...current, ...said }, config) };
}

/** A new time reactivates a finished schedule. */
const revived = ({ state }: ScheduleRow) => (state === "done" ? { state: "active" as const } : {});

function fromNow({ when, timeZone }: Pick<ScheduleRow, "when" | "timeZone">, config: ScheduleDeps["config"]) {
  return { nextAt: nextTick(when as When, nowSeconds(), timeZone ?? config.timezone) };
}

export function pauseSchedule(deps: ScheduleDeps, reference: string): Promise<ScheduleRow> {
  return change(deps, reference, async ({ state }) => {
    if (state === "done") throw isOver(reference);
    return { state: "paused" };
  });
}

export function resumeSchedule(deps: ScheduleDeps, reference: string): Promise<ScheduleRow> {
  return change(deps, reference, async (current) => {
    const next = fromNow(current, deps.config);
    if (next.nextAt === null) throw isOver(reference);
    return { state: "active", ...next };
  });
}

/** It runs within a second or so, if a gateway does. */
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

/** By its name or id. */
export async function findSchedule(
  store: Pick<Store, "listSchedules">,
  reference: string,
  query: { runs?: number } = {},
): Promise<ScheduleRow> {
  const [found] = await store.listSchedules({ called: reference, ...query });
  if (!found) throw await unknownSchedule(store, reference);
  return found;
}

async function unknownSchedule(store: Pick<Store, "listSchedules">, reference: string): Promise<HermesError> {
  const names = (await store.listSchedules()).map(({ name, id }) => `"${name}" (${id})`);
  return new HermesError("not_found", `There is no schedule "${reference}".`, {
    hint: names.length === 0 ? "There are no schedules." : `Schedules: ${names.slice(0, 10).join(", ")}.`,
  });
}

function isOver(reference: string): HermesError {
  return new HermesError("invalid", `"${reference}" has finished: it has no more runs.`, {
    hint: "`hermes cron edit NAME --when TIME` gives it a new one.",
  });
}
