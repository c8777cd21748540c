/** A due schedule → the tick to run now, or the reason to skip it, and the next tick. Pure. */
import { dateFormat } from "../date-format.js";
import { describeError, HermesError } from "../errors.js";
import { checkWhen, lastTick, nextTick, parseWhen, type When } from "./when.js";

/** Ticks missed while the gateway was down: run the last one, or skip them all. */
export type MissedPolicy = "run" | "skip";

export interface DueQuestion {
  when: When;
  /** The due tick, not after now. */
  dueAt: number;
  timeZone: string;
  missed: MissedPolicy;
  /** Ticks missed by more than this are skipped. */
  graceSeconds: number;
  /** The previous run hasn't finished. */
  isBusy: boolean;
  now: number;
}

export type Plan = { tick: number; nextAt: number | null } & (
  | { run: true; isLate: boolean }
  | { run: false; reason: "missed" | "busy" }
);

/** Always tolerated: a restart, a busy machine. */
export const ON_TIME_SECONDS = 60;

export function planRun(question: DueQuestion): Plan {
  const { when, dueAt, timeZone, now } = question;
  // Only the last of several missed ticks counts.
  const tick = Math.max(dueAt, lastTick(when, now, timeZone) ?? dueAt);
  const nextAt = nextTick(when, Math.max(now, tick), timeZone);
  const lateSeconds = now - tick;
  if (lateSeconds > allowedSeconds(question)) return { tick, nextAt, run: false, reason: "missed" };
  if (question.isBusy) return { tick, nextAt, run: false, reason: "busy" };
  return { tick, nextAt, run: true, isLate: lateSeconds > ON_TIME_SECONDS };
}

/** One-time schedules run however late they are. */
function allowedSeconds({ when, missed, graceSeconds }: DueQuestion): number {
  if (missed === "skip") return ON_TIME_SECONDS;
  return when.kind === "once" ? Number.POSITIVE_INFINITY : Math.max(ON_TIME_SECONDS, graceSeconds);
}

export interface ScheduleInput {
  when: string;
  prompt: string;
  name?: string | undefined;
  /** IANA name. Default: the configured zone. */
  timeZone?: string | undefined;
}

export interface ScheduleDraft {
  name: string;
  prompt: string;
  when: When;
  timeZone: string | null;
  nextAt: number | null;
}

const MAX_PROMPT = 20_000;
const MAX_NAME = 60;

/** User input → a schedule. Throws if it is invalid. */
export function draftSchedule(
  input: ScheduleInput,
  { now, timeZone }: { now: number; timeZone: string },
): ScheduleDraft {
  const prompt = input.prompt.trim();
  if (prompt === "") throw new HermesError("invalid", "The prompt is empty.");
  if (prompt.length > MAX_PROMPT)
    throw new HermesError(
      "invalid",
      `The prompt has ${prompt.length} characters; the maximum is ${MAX_PROMPT}.`,
    );
  const zone = input.timeZone ?? timeZone;
  checkZone(zone);
  const when = parseWhen(input.when, { now, timeZone: zone });
  return {
    name: nameFrom(input.name ?? prompt),
    prompt,
    when,
    timeZone: input.timeZone ?? null,
    nextAt: nextTick(when, now, zone),
  };
}

interface StoredSchedule {
  when: unknown;
  timeZone: string | null;
  /** Why the store couldn't read it. */
  fault: string | null;
}

/** Why a stored schedule can't run; null if it can. */
export function faultOf({ when, timeZone, fault }: StoredSchedule, configuredZone: string): string | null {
  if (fault !== null) return fault;
  const zone = timeZone ?? configuredZone;
  try {
    checkZone(zone);
    checkWhen(when, zone);
    return null;
  } catch (error) {
    return describeError(error).message;
  }
}

/** Throws if the schedule is unreadable and so can't be changed. */
export function requireReadable(schedule: StoredSchedule & { name: string }, configuredZone: string): void {
  const fault = faultOf(schedule, configuredZone);
  if (fault === null) return;
  throw new HermesError("invalid", `"${schedule.name}" can't be read: ${fault}`, {
    hint: "Remove it and create it again.",
  });
}

/** One line, short enough for a list. */
function nameFrom(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, " ").trim();
  if (line === "") throw new HermesError("invalid", "The name is empty.");
  const all = Array.from(line);
  return all.length <= MAX_NAME
    ? line
    : `${all
        .slice(0, MAX_NAME - 1)
        .join("")
        .trimEnd()}…`;
}

function checkZone(name: string): void {
  try {
    dateFormat("en", { timeZone: name });
  } catch (cause) {
    throw new HermesError("invalid", `Unknown time zone "${name}".`, {
      hint: "Use an IANA name such as Europe/Berlin.",
      cause,
    });
  }
}
