/** Schedules, like `hermes cron`. */
import type { Context, Hono } from "hono";
import { z } from "zod";
import { formatTarget } from "../../message.js";
import { faultOf } from "../../policies/schedule.js";
import { formatWhen, type When } from "../../policies/when.js";
import {
  editSchedule,
  findSchedule,
  makeSchedule,
  pauseSchedule,
  requestRun,
  resumeSchedule,
  type ScheduleDeps,
} from "../../schedules/change.js";
import type { ScheduleRow } from "../../store/schedules.js";
import { bodyOf, text, withoutUndefined } from "../params.js";
import { gone, operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import type { ScheduleDetail, SchedulesAnswer, ShownSchedule } from "./schedules-types.js";

const MAX_RUNS = 20;

const fields = {
  name: text(200),
  to: text(500),
  timezone: text(100),
  missed: z.enum(["run", "skip"]).optional(),
};
/** Empty: back to the default. */
const resettable = {
  name: z.string().max(200).optional(),
  to: z.string().max(500).optional(),
  timezone: z.string().max(100).optional(),
};
const when = z.string().min(1).max(200);
const prompt = z.string().min(1).max(100_000);

export function scheduleRoutes(api: Hono, options: DashboardOptions): void {
  const { store, targets, loaded } = options;
  const { config } = loaded;
  const deps: ScheduleDeps = { store, config, targets };
  const note = operatorLog(options);
  const shown = (row: ScheduleRow) => shownSchedule(row, config.timezone);

  api.get("/schedules", async (c) => {
    const schedules = (await store.listSchedules()).map(shown);
    const answer = { enabled: config.cron.enabled, timeZone: config.timezone, schedules };
    return c.json(answer satisfies SchedulesAnswer);
  });

  api.get("/schedules/:id", async (c) => {
    const { runs = [], ...row } = await findSchedule(store, idOf(c), { runs: MAX_RUNS });
    return c.json({ schedule: shown(row), runs } satisfies ScheduleDetail);
  });

  api.post("/schedules/create", async (c) => {
    const schedule = await makeSchedule(deps, await bodyOf(c, { when, prompt, ...fields }));
    await note(c, "add-schedule", { id: schedule.id, name: schedule.name });
    return c.json({ schedule: shown(schedule) });
  });

  api.post("/schedules/:id/edit", async (c) => {
    const edits = await bodyOf(c, {
      when: when.optional(),
      prompt: prompt.optional(),
      ...fields,
      ...resettable,
    });
    const changed = await editSchedule(deps, idOf(c), edits);
    const keys = Object.keys(withoutUndefined(edits));
    await note(c, "edit-schedule", { id: changed.id, name: changed.name, keys });
    return c.json({ schedule: shown(changed) });
  });

  const verbs = { pause: pauseSchedule, resume: resumeSchedule, run: requestRun };
  for (const [verb, act] of Object.entries(verbs))
    api.post(`/schedules/:id/${verb}`, async (c) => {
      await bodyOf(c, {});
      const changed = await act(deps, idOf(c));
      await note(c, `${verb}-schedule`, { id: changed.id, name: changed.name });
      return c.json({ schedule: shown(changed) });
    });

  api.post("/schedules/:id/delete", async (c) => {
    await bodyOf(c, {});
    const { id, name } = await findSchedule(store, idOf(c));
    if (!(await store.changeSchedule(id, "remove"))) throw gone(`There is no schedule "${name}" (any more).`);
    await note(c, "delete-schedule", { id, name });
    return c.json({ deleted: id });
  });
}

const idOf = (c: Context): string => c.req.param("id") ?? "";

function shownSchedule(row: ScheduleRow, zone: string): ShownSchedule {
  const { id, name, prompt, state, nextAt, timeZone, missed, target, deliver, maker, lastRun } = row;
  const fault = faultOf(row, zone);
  return {
    ...{ id, name, prompt, state, timeZone, missed, fault, lastRun },
    when: fault === null ? whenText(row.when as When) : "unreadable",
    nextAt: state === "active" && fault === null ? nextAt : null,
    to: target ? formatTarget(target) : deliver,
    maker: maker && `${maker.platform}:${maker.userId}`,
    isRequested: row.runRequestedAt !== null,
  };
}

/** In a form that the schedule form accepts. */
function whenText(when: When): string {
  return when.kind === "once"
    ? new Date(when.at * 1000).toISOString().replace(".000Z", "Z")
    : formatWhen(when);
}
