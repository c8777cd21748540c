import { randomBytes } from "node:crypto";
import { text as readAll } from "node:stream/consumers";
import { nowSeconds } from "../../clock.js";
import { loadConfig } from "../../config/load.js";
import { resolveHome } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import { HermesError } from "../../errors.js";
import { draftSchedule, faultOf, requireReadable } from "../../policies/schedule.js";
import { nextTick, type When } from "../../policies/when.js";
import { knownTargetsOf } from "../../rules.js";
import { membershipOf } from "../../store/open.js";
import type { ScheduleChanges, ScheduleRow } from "../../store/schedules.js";
import type { Store } from "../../store/store.js";
import { deliveryOf } from "../../targets/find-target.js";
import { confirmed } from "../ask.js";
import { io } from "../io.js";
import { noDatabase, SHORT, withNewStore, withStore } from "../open.js";
import { print, printJson } from "../output.js";
import { nextRun, unknownSchedule, whenWords } from "./show.js";

interface Options {
  name?: string;
  to?: string;
  timezone?: string;
  missed?: "run" | "skip";
  json?: boolean;
}

export async function add(when: string, prompt: string, options: Options): Promise<void> {
  const config = readConfig();
  const now = nowSeconds();
  const asked = prompt === "-" ? await readAll(io().stdin) : prompt;
  const words = { when, prompt: asked, name: options.name, timeZone: options.timezone };
  const draft = draftSchedule(words, { now, timeZone: config.timezone });
  const schedule = await withNewStore(async (store) => {
    const delivery = await deliveryOf(store, options.to ?? "local", knownTargetsOf(config));
    const id = randomBytes(4).toString("hex");
    const made = { ...draft, ...delivery, id, missed: options.missed ?? "run", maker: null, createdAt: now };
    return store.addSchedule(made, config.cron.max_jobs);
  }, SHORT);
  tell(schedule, options, `Added "${schedule.name}" (${schedule.id}). ${nextRun(schedule, config.timezone)}`);
  if (!options.json && !config.cron.enabled) print("Schedules are switched off: cron.enabled is false.");
}

export async function edit(reference: string, options: Options & EditOptions): Promise<void> {
  const config = readConfig();
  const schedule = await change(reference, async (store, current) => ({
    ...redrafted(current, options, config),
    ...(options.to === undefined ? {} : await deliveryOf(store, options.to, knownTargetsOf(config))),
    ...(options.missed === undefined ? {} : { missed: options.missed }),
  }));
  tell(schedule, options, `Changed "${schedule.name}". ${nextRun(schedule, config.timezone)}`);
}

interface EditOptions {
  when?: string;
  prompt?: string;
}

/** Its times count from now only where they are others than before. */
function redrafted(
  current: ScheduleRow,
  options: Options & EditOptions,
  config: Config,
): Partial<ScheduleChanges> {
  const { when, prompt, name, timezone } = options;
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

/** A new time is a new life. */
const revived = ({ state }: ScheduleRow) => (state === "done" ? { state: "active" as const } : {});

function fromNow({ when, timeZone }: Pick<ScheduleRow, "when" | "timeZone">, config: Config) {
  return { nextAt: nextTick(when as When, nowSeconds(), timeZone ?? config.timezone) };
}

export async function pause(reference: string, options: Options): Promise<void> {
  const schedule = await change(reference, async (_, { state }) => {
    if (state === "done") throw isOver(reference);
    return { state: "paused" };
  });
  tell(schedule, options, `Paused "${schedule.name}".`);
}

export async function resume(reference: string, options: Options): Promise<void> {
  const config = readConfig();
  const schedule = await change(reference, async (_, current) => {
    const next = fromNow(current, config);
    if (next.nextAt === null) throw isOver(reference);
    return { state: "active", ...next };
  });
  tell(schedule, options, `"${schedule.name}" runs again. ${nextRun(schedule, config.timezone)}`);
}

export async function runNow(reference: string, options: Options): Promise<void> {
  const schedule = await change(reference, async () => ({ runRequestedAt: nowSeconds() }));
  const { running } = await membershipOf(resolveHome(io().env)).state();
  const when = running ? "runs now" : "runs as soon as a gateway does: none is running";
  tell(
    schedule,
    options,
    `"${schedule.name}" ${when}. \`hermes cron show ${schedule.id}\` tells how it went.`,
  );
}

export async function remove(reference: string, options: Options & { yes?: boolean }): Promise<void> {
  const removed = await withStore(
    async (store) => {
      const found = await find(store, reference);
      const schedule = { ...found, fault: faultOf(found, readConfig().timezone) };
      const question = `Remove the schedule "${schedule.name}" (${whenWords(schedule)})?`;
      if (!(await confirmed(question, options))) return undefined;
      await store.removeSchedule(schedule.id);
      return schedule;
    },
    noDatabase,
    SHORT,
  );
  if (removed) tell(removed, options, `Removed "${removed.name}" (${whenWords(removed)}).`);
}

function change(
  reference: string,
  changes: (store: Store, current: ScheduleRow) => Promise<Partial<ScheduleChanges>>,
): Promise<ScheduleRow> {
  return withStore(
    async (store) => {
      const current = await find(store, reference);
      requireReadable(current, readConfig().timezone);
      const changed = await store.changeSchedule(current.id, await changes(store, current));
      if (!changed) throw await unknownSchedule(store, reference);
      return changed;
    },
    noDatabase,
    SHORT,
  );
}

async function find(store: Store, reference: string): Promise<ScheduleRow> {
  const [found] = await store.listSchedules({ called: reference });
  if (!found) throw await unknownSchedule(store, reference);
  return found;
}

function tell(schedule: ScheduleRow, { json }: Options, words: string): void {
  if (json) printJson(schedule);
  else print(words);
}

function readConfig(): Config {
  return loadConfig({ home: resolveHome(io().env), env: io().env }).config;
}

function isOver(reference: string): HermesError {
  return new HermesError("invalid", `"${reference}" is over: its time has come and gone.`, {
    hint: "`hermes cron edit NAME --when TIME` gives it another.",
  });
}
