import { text as readAll } from "node:stream/consumers";
import { loadConfig } from "../../config/load.js";
import { resolveHome } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import { faultOf } from "../../policies/schedule.js";
import { knownTargetsOf } from "../../rules.js";
import {
  editSchedule,
  findSchedule,
  makeSchedule,
  pauseSchedule,
  requestRun,
  resumeSchedule,
  type ScheduleDeps,
} from "../../schedules/change.js";
import { membershipOf } from "../../store/open.js";
import type { ScheduleRow } from "../../store/schedules.js";
import type { Store } from "../../store/store.js";
import { confirmed } from "../ask.js";
import { io } from "../io.js";
import { noDatabase, SHORT, withNewStore, withStore } from "../open.js";
import { print, printJson } from "../output.js";
import { nextRun, whenWords } from "./show.js";

interface Options {
  name?: string;
  to?: string;
  timezone?: string;
  missed?: "run" | "skip";
  json?: boolean;
}

export async function add(when: string, prompt: string, options: Options): Promise<void> {
  const config = readConfig();
  const asked = prompt === "-" ? await readAll(io().stdin) : prompt;
  const schedule = await withNewStore(
    (store) => makeSchedule(depsOf(store, config), { ...options, when, prompt: asked }),
    SHORT,
  );
  tell(schedule, options, `Added "${schedule.name}" (${schedule.id}). ${nextRun(schedule, config.timezone)}`);
  if (options.json) return;
  if (schedule.deliver === "local")
    print("Its answers are stored, but sent nowhere: --to sends them to a chat.");
  if (!config.cron.enabled) print("Schedules are disabled: cron.enabled is false.");
}

export async function edit(
  reference: string,
  options: Options & { when?: string; prompt?: string },
): Promise<void> {
  const config = readConfig();
  const schedule = await change(config, (deps) => editSchedule(deps, reference, options));
  tell(schedule, options, `Changed "${schedule.name}". ${nextRun(schedule, config.timezone)}`);
}

export async function pause(reference: string, options: Options): Promise<void> {
  const schedule = await change(readConfig(), (deps) => pauseSchedule(deps, reference));
  tell(schedule, options, `Paused "${schedule.name}".`);
}

export async function resume(reference: string, options: Options): Promise<void> {
  const config = readConfig();
  const schedule = await change(config, (deps) => resumeSchedule(deps, reference));
  tell(schedule, options, `"${schedule.name}" runs again. ${nextRun(schedule, config.timezone)}`);
}

export async function runNow(reference: string, options: Options): Promise<void> {
  const schedule = await change(readConfig(), (deps) => requestRun(deps, reference));
  const { running } = await membershipOf(resolveHome(io().env)).state();
  const when = running ? "runs now" : "runs when a gateway starts; none is running now";
  tell(
    schedule,
    options,
    `"${schedule.name}" ${when}. \`hermes cron show ${schedule.id}\` shows the result.`,
  );
}

export async function remove(reference: string, options: Options & { yes?: boolean }): Promise<void> {
  const removed = await withStore(
    async (store) => {
      const found = await findSchedule(store, reference);
      const schedule = { ...found, fault: faultOf(found, readConfig().timezone) };
      const question = `Remove the schedule "${schedule.name}" (${whenWords(schedule)})?`;
      if (!(await confirmed(question, options))) return undefined;
      await store.changeSchedule(schedule.id, "remove");
      return schedule;
    },
    noDatabase,
    SHORT,
  );
  if (removed) tell(removed, options, `Removed "${removed.name}" (${whenWords(removed)}).`);
}

function change(config: Config, work: (deps: ScheduleDeps) => Promise<ScheduleRow>): Promise<ScheduleRow> {
  return withStore((store) => work(depsOf(store, config)), noDatabase, SHORT);
}

const depsOf = (store: Store, config: Config): ScheduleDeps => ({
  store,
  config,
  targets: knownTargetsOf(config),
});

function tell(schedule: ScheduleRow, { json }: Options, words: string): void {
  if (json) printJson(schedule);
  else print(words);
}

function readConfig(): Config {
  return loadConfig({ home: resolveHome(io().env), env: io().env }).config;
}
