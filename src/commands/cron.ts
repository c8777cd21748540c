import { randomBytes } from "node:crypto";
import { HermesError } from "../errors.js";
import { audienceOf, formatTarget, isSameRoom, roomOf } from "../message.js";
import { draftSchedule, faultOf, requireReadable } from "../policies/schedule.js";
import { formatWhen, nextTick, type When } from "../policies/when.js";
import type { ScheduleChanges, ScheduleRow } from "../store/schedules.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { parseAdd } from "./parts/cron-args.js";
import { blocks, bullets, code, counted, shortened } from "./parts/text.js";
import { ago, localTime } from "./parts/times.js";

export const cron: Command = {
  name: "cron",
  usage: "[add|list|run|pause|resume|remove]",
  description: "Scheduled prompts (owners only)",
  group: "turn",
  when: "now",
  run,
};

const HOW = bullets(
  `${code('/cron add "0 9 * * 1-5" What is on today?')}`,
  `${code("/cron add every 30m Look at the queue")}`,
  `${code("/cron add in 2h Remind me to call Ada")}`,
  `${code("/cron run|pause|resume|remove <name>")}`,
);

type Verb = (call: CommandCall, rest: string) => Promise<string>;
const VERBS: Readonly<Record<string, Verb>> = {
  list,
  add,
  run: (call, name) => change(call, name, async () => ({ runRequestedAt: call.now }), "runs now"),
  pause: (call, name) => change(call, name, async (found) => paused(found), "is paused"),
  resume: (call, name) => change(call, name, async (found) => fromNow(call, found), "runs again"),
  remove,
};

/** Schedules run unattended, so only owners may create them. */
async function run(call: CommandCall): Promise<CommandOutcome> {
  if (!call.principal.owner) return { reply: "Only owners can use schedules." };
  const [, word = "list", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(call.args.trim()) ?? [];
  const verb = Object.hasOwn(VERBS, word.toLowerCase()) ? VERBS[word.toLowerCase()] : undefined;
  if (!verb) return { reply: blocks(`I don't know ${code(`/cron ${word}`)}. Available:`, HOW) };
  try {
    return { reply: await verb(call, rest.trim()) };
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    return { reply: [error.message, error.hint].filter(Boolean).join(" ") };
  }
}

/** A room sees only the schedules that write to it: other names come from private prompts. */
async function list({ gateway, now, message }: CommandCall): Promise<string> {
  const all = (await gateway.store.listSchedules()).filter(({ state }) => state !== "done");
  if (all.length === 0) return blocks("There are no schedules. To add one:", HOW);
  const room = audienceOf(message);
  const shown = room ? all.filter(({ target }) => target !== null && isSameRoom(room, roomOf(target))) : all;
  const left = all.length - shown.length;
  return blocks(
    bullets(...shown.map((schedule) => describe(schedule, gateway.config.timezone, now))),
    left > 0 && `${counted(left, "schedule")} in other chats: use \`/cron\` in a direct message to see all.`,
  );
}

function describe(schedule: ScheduleRow, zone: string, now: number): string {
  const { name, when, lastRun } = schedule;
  const fault = faultOf(schedule, zone);
  if (fault !== null) return `${code(name)} can't be read: ${fault}`;
  const last = lastRun
    ? `; last ${lastRun.state} ${ago(lastRun.at, now)}${lastRun.state === "failed" ? `: ${shortened(lastRun.reason ?? "")}` : ""}`
    : "";
  return `${code(name)} ${code(formatWhen(when as When))} → ${code(whereTo(schedule))}, ${nextRun(schedule, zone)}${last}`;
}

function whereTo({ target, deliver }: ScheduleRow): string {
  return target ? formatTarget(target) : deliver;
}

function nextRun({ state, nextAt, timeZone }: ScheduleRow, zone: string): string {
  if (state === "active" && nextAt !== null) return `next ${localTime(nextAt, timeZone ?? zone)}`;
  return state;
}

async function add(call: CommandCall, text: string): Promise<string> {
  const { gateway, now, principal } = call;
  if (text === "") return HOW;
  const { timezone, cron: settings } = gateway.config;
  const words = parseAdd(text, { now, timeZone: timezone });
  const draft = draftSchedule(words, { now, timeZone: timezone });
  const schedule = await gateway.store.addSchedule(
    {
      ...draft,
      ...(await deliveryOf(call, words.to ?? "origin")),
      id: randomBytes(4).toString("hex"),
      missed: words.missed ?? "run",
      maker: { platform: principal.platform, userId: principal.userId },
      createdAt: now,
    },
    settings.max_jobs,
  );
  const off = settings.enabled ? "" : " But schedules are disabled (`cron.enabled`).";
  return `⏰ ${describe(schedule, timezone, now)}.${off}`;
}

/** Errors about a target list known chats, so rooms get a shorter one. */
async function deliveryOf(call: CommandCall, to: string) {
  try {
    return await call.gateway.deliveryOf(call, to);
  } catch (error) {
    if (!audienceOf(call.message) || !(error instanceof HermesError)) throw error;
    throw new HermesError(error.code, error.message, { cause: error });
  }
}

async function change(
  { gateway }: CommandCall,
  name: string,
  changes: (found: ScheduleRow) => Promise<Partial<ScheduleChanges>>,
  words: string,
): Promise<string> {
  const [found] = await gateway.store.listSchedules({ called: name });
  if (!found) return notFound(name);
  requireReadable(found, gateway.config.timezone);
  await gateway.store.changeSchedule(found.id, await changes(found));
  return `${code(found.name)} ${words}.`;
}

function paused({ state, name }: ScheduleRow): Partial<ScheduleChanges> {
  if (state === "done") throw isOver(name);
  return { state: "paused" };
}

function isOver(name: string): HermesError {
  return new HermesError("invalid", `${code(name)} has no further runs.`);
}

async function fromNow(
  { gateway, now }: CommandCall,
  { when, timeZone, name }: ScheduleRow,
): Promise<Partial<ScheduleChanges>> {
  const nextAt = nextTick(when as When, now, timeZone ?? gateway.config.timezone);
  if (nextAt === null) throw isOver(name);
  return { state: "active", nextAt };
}

async function remove({ gateway }: CommandCall, name: string): Promise<string> {
  const [found] = await gateway.store.listSchedules({ called: name });
  if (!found) return notFound(name);
  await gateway.store.changeSchedule(found.id, "remove");
  return `${code(found.name)} was removed.`;
}

function notFound(name: string): string {
  return name === ""
    ? "Which one? `/cron` shows them."
    : `There is no schedule ${code(name)}. \`/cron\` shows them.`;
}
