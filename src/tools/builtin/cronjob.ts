/** The `cronjob` tool: schedules of the person who asks. Their answers go to the chat where they were made. */
import { createHash } from "node:crypto";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import { formatTarget, isSameRoom, roomOf } from "../../message.js";
import { draftSchedule, faultOf, requireReadable } from "../../policies/schedule.js";
import { formatWhen, nextTick, type When } from "../../policies/when.js";
import type { ScheduleChanges, ScheduleRow, Schedules } from "../../store/schedules.js";
import { deliveryOf } from "../../targets/find-target.js";
import { textArgument } from "../arguments.js";
import { success, ToolMistake, told } from "../result.js";
import type { ToolCall, ToolDefinition } from "../tool.js";
import type { SendDeps } from "./send-message.js";

export interface CronDeps {
  store: Pick<Schedules, "addSchedule" | "changeSchedule" | "listSchedules"> &
    Pick<SendDeps["store"], "knownChats">;
  targets: SendDeps["targets"];
  timeZone: string;
  maxJobs: number;
  enabled: boolean;
}

/** For people who aren't owners. */
const MAX_PER_PERSON = 10;

const DESCRIPTION =
  "Scheduled prompts: you get the prompt at its times, and the answer goes to this chat. Actions: create (schedule, prompt, " +
  "name); list; update (job_id and what changes); pause, resume, remove, run (job_id: its id or name). schedule: " +
  '"0 9 * * 1-5", "every 30m", "in 2h" or "2026-06-17T09:00". The prompt must be complete: the run doesn\'t see this chat.';

const PARAMETERS = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["create", "list", "update", "pause", "resume", "remove", "run"] },
    job_id: { type: "string", description: "The id or name of a schedule" },
    schedule: { type: "string" },
    prompt: { type: "string" },
    name: { type: "string" },
    deliver: {
      type: "string",
      description:
        "origin (this chat, the default) or local (stored only); owners: any platform:chat, or home",
    },
    timezone: { type: "string", description: "IANA name; default: the configured zone" },
  },
  required: ["action"],
};

type Args = Record<string, unknown>;
type Action = (job: Job) => Promise<string>;
interface Job {
  deps: CronDeps;
  args: Args;
  call: ToolCall;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  create,
  list,
  update,
  pause: (job) => change(job, ({ state }) => (state === "done" ? isOver() : { state: "paused" })),
  resume: (job) => change(job, (found) => ({ state: "active", nextAt: nextOf(found, job.deps) })),
  run: (job) => change(job, () => ({ runRequestedAt: nowSeconds() })),
  remove,
};

/** A run that creates, changes or starts schedules could loop forever. It may only end them. */
const UNATTENDED: ReadonlySet<string> = new Set(["list", "pause", "remove"]);

export function cronjobTool(deps: CronDeps): ToolDefinition {
  return {
    name: "cronjob",
    toolset: "cronjob",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    effect: "write",
    // A repeated run would run twice.
    repeat: "never",
    unavailable: () => (deps.enabled ? undefined : "schedules are disabled (cron.enabled)"),
    run: (args, call) => told(() => runAction({ deps, args, call }), { hints: call.room === undefined }),
  };
}

function runAction(job: Job): Promise<string> {
  const name = textArgument(job.args, "action") ?? "list";
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action)
    throw new ToolMistake(`there is no action "${name}". Actions: ${Object.keys(ACTIONS).join(", ")}.`);
  if (job.call.unattended && !UNATTENDED.has(name))
    throw new ToolMistake(`a scheduled run or a webhook can't ${name} schedules.`);
  if (textArgument(job.args, "repeat") !== undefined)
    throw new ToolMistake('repeat is not supported. For one run, use a moment or "in 2h" as the schedule.');
  return action(job);
}

async function create({ deps, args, call }: Job): Promise<string> {
  const { store, timeZone, maxJobs } = deps;
  // The same call after a restart finds its own schedule.
  const id = createHash("sha256").update(`cronjob ${call.idempotencyKey}`).digest("hex").slice(0, 8);
  const [earlier] = await store.listSchedules({ called: id });
  if (earlier && isMaker(earlier, call)) return success({ job: shown(earlier, deps) });
  await requireRoom(deps, call);
  const now = nowSeconds();
  const words = {
    when: required(args, "schedule"),
    prompt: required(args, "prompt"),
    name: textArgument(args, "name"),
    timeZone: textArgument(args, "timezone"),
  };
  const made = {
    ...draftSchedule(words, { now, timeZone }),
    ...(await delivery(deps, args, call)),
    id,
    missed: "run" as const,
    maker: { platform: call.principal.platform, userId: call.principal.userId },
    createdAt: now,
  };
  const schedule = await store.addSchedule(made, maxJobs).catch((error: unknown) => {
    if (!(error instanceof HermesError) || error.code !== "conflict" || call.principal.owner) throw error;
    // The name may be another person's, so don't reveal that it exists.
    return store.addSchedule({ ...made, name: `${made.name} ${id}` }, maxJobs);
  });
  return success({ job: shown(schedule, deps) });
}

async function requireRoom({ store }: CronDeps, call: ToolCall): Promise<void> {
  if (call.principal.owner) return;
  const own = (await store.listSchedules()).filter((one) => one.state !== "done" && isMaker(one, call));
  if (own.length >= MAX_PER_PERSON)
    throw new ToolMistake(`this person has ${own.length} schedules; the maximum is ${MAX_PER_PERSON}.`);
}

/** People who aren't owners can only target their current chat. */
async function delivery({ store, targets }: CronDeps, args: Args, call: ToolCall) {
  const to = textArgument(args, "deliver") ?? "origin";
  if (!call.principal.owner && to !== "origin" && to !== "local")
    throw new ToolMistake("deliver must be origin or local.");
  return deliveryOf(store, to, { ...targets, origin: call.target });
}

async function list({ deps, call }: Job): Promise<string> {
  const all = await deps.store.listSchedules();
  const jobs = all.filter((one) => one.state !== "done" && maySee(one, call));
  return success({ jobs: jobs.map((one) => shown(one, deps)) });
}

async function update(job: Job): Promise<string> {
  const { deps, args, call } = job;
  const to = textArgument(args, "deliver") === undefined ? {} : await delivery(deps, args, call);
  return change(job, (found) => ({ ...redrafted(found, args, deps), ...to }));
}

function redrafted(found: ScheduleRow, args: Args, { timeZone }: CronDeps): Partial<ScheduleChanges> {
  const when = textArgument(args, "schedule");
  const zone = textArgument(args, "timezone");
  const words = {
    when: when ?? "@daily",
    prompt: textArgument(args, "prompt") ?? found.prompt,
    name: textArgument(args, "name") ?? found.name,
    timeZone: zone ?? found.timeZone ?? undefined,
  };
  const draft = draftSchedule(words, { now: nowSeconds(), timeZone });
  const said = { name: draft.name, prompt: draft.prompt, timeZone: draft.timeZone };
  if (when !== undefined)
    return {
      ...said,
      ...{ when: draft.when, nextAt: draft.nextAt },
      ...(found.state === "done" ? { state: "active" } : {}),
    };
  if (zone === undefined) return said;
  return { ...said, nextAt: nextTick(found.when as When, nowSeconds(), zone) };
}

async function change(
  { deps, args, call }: Job,
  changes: (found: ScheduleRow) => Partial<ScheduleChanges>,
): Promise<string> {
  const found = await find(deps, required(args, "job_id"), call);
  requireReadable(found, deps.timeZone);
  const changed = await deps.store.changeSchedule(found.id, changes(found));
  if (!changed) throw notFound(found.name);
  return success({ job: shown(changed, deps) });
}

async function remove({ deps, args, call }: Job): Promise<string> {
  const found = await find(deps, required(args, "job_id"), call);
  await deps.store.changeSchedule(found.id, "remove");
  return success({ removed: found.name });
}

/** The same error for schedules that don't exist and those of others. */
async function find({ store }: CronDeps, reference: string, call: ToolCall): Promise<ScheduleRow> {
  const [found] = await store.listSchedules({ called: reference });
  if (!found || !maySee(found, call)) throw notFound(reference);
  return found;
}

/** The person's own; for owners, all. In a room, only those that target the room. */
function maySee(schedule: ScheduleRow, call: ToolCall): boolean {
  if (!call.principal.owner && !isMaker(schedule, call)) return false;
  return !call.room || (schedule.target !== null && isSameRoom(call.room, roomOf(schedule.target)));
}

function isMaker({ maker }: ScheduleRow, { principal }: ToolCall): boolean {
  return maker?.platform === principal.platform && maker.userId === principal.userId;
}

function shown(schedule: ScheduleRow, { timeZone }: CronDeps): object {
  const { id, name, prompt, when, target, deliver, state, nextAt, lastRun } = schedule;
  const fault = faultOf(schedule, timeZone);
  if (fault !== null) return { job_id: id, name, fault };
  return {
    ...{ job_id: id, name, schedule: formatWhen(when as When), prompt, state },
    deliver: target ? formatTarget(target) : deliver,
    next_run: nextAt === null || state !== "active" ? null : new Date(nextAt * 1000).toISOString(),
    last_run: lastRun && { state: lastRun.state, reason: lastRun.reason },
  };
}

function nextOf({ when, timeZone }: ScheduleRow, deps: CronDeps): number {
  return nextTick(when as When, nowSeconds(), timeZone ?? deps.timeZone) ?? isOver();
}

function isOver(): never {
  throw new ToolMistake("it has no further runs. Update its schedule.");
}

function notFound(reference: string): ToolMistake {
  return new ToolMistake(`there is no schedule "${reference}". action list shows them.`);
}

function required(args: Args, name: string): string {
  const value = textArgument(args, name);
  if (value === undefined) throw new ToolMistake(`${name} is missing.`);
  return value;
}
