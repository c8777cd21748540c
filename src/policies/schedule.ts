/** A schedule that is due → which tick runs now, or why it doesn't, and when the next one is. Pure. */
import { dateFormat } from "../date-format.js";
import { describeError, HermesError } from "../errors.js";
import { checkWhen, lastTick, nextTick, parseWhen, type When } from "./when.js";

/** What becomes of ticks that nobody was there for: the last of them is made up for, or none. */
export type MissedPolicy = "run" | "skip";

export interface DueQuestion {
  when: When;
  /** The tick that is due: not after now. */
  dueAt: number;
  timeZone: string;
  missed: MissedPolicy;
  /** A tick that was missed for longer is not made up for. */
  graceSeconds: number;
  /** The run before is still going. */
  isBusy: boolean;
  now: number;
}

export type Plan = { tick: number; nextAt: number | null } & (
  | { run: true; isLate: boolean }
  | { run: false; reason: "missed" | "busy" }
);

/** So late it may always be: a restart, a busy machine. */
export const ON_TIME_SECONDS = 60;

export function planRun(question: DueQuestion): Plan {
  const { when, dueAt, timeZone, now } = question;
  // Of several that have passed one counts: a schedule doesn't catch up on itself.
  const tick = Math.max(dueAt, lastTick(when, now, timeZone) ?? dueAt);
  const nextAt = nextTick(when, Math.max(now, tick), timeZone);
  const lateSeconds = now - tick;
  if (lateSeconds > allowedSeconds(question)) return { tick, nextAt, run: false, reason: "missed" };
  if (question.isBusy) return { tick, nextAt, run: false, reason: "busy" };
  return { tick, nextAt, run: true, isLate: lateSeconds > ON_TIME_SECONDS };
}

/** What comes only once is better late than never. */
function allowedSeconds({ when, missed, graceSeconds }: DueQuestion): number {
  if (missed === "skip") return ON_TIME_SECONDS;
  return when.kind === "once" ? Number.POSITIVE_INFINITY : Math.max(ON_TIME_SECONDS, graceSeconds);
}

export interface ScheduleWords {
  when: string;
  prompt: string;
  name?: string | undefined;
  /** IANA name; left out: the configured zone. */
  timeZone?: string | undefined;
}

export interface ScheduleDraft {
  name: string;
  prompt: string;
  when: When;
  timeZone: string | null;
  nextAt: number | null;
}

const PROMPT_MAX = 20_000;
const NAME_MAX = 60;

/** What somebody wrote → a schedule, or what is wrong with it. */
export function draftSchedule(
  words: ScheduleWords,
  { now, timeZone }: { now: number; timeZone: string },
): ScheduleDraft {
  const prompt = words.prompt.trim();
  if (prompt === "") throw new HermesError("invalid", "What shall be asked then? The prompt is empty.");
  if (prompt.length > PROMPT_MAX)
    throw new HermesError(
      "invalid",
      `The prompt has ${prompt.length} characters; ${PROMPT_MAX} are the most.`,
    );
  const zone = words.timeZone ?? timeZone;
  checkZone(zone);
  const when = parseWhen(words.when, { now, timeZone: zone });
  return {
    name: nameFrom(words.name ?? prompt),
    prompt,
    when,
    timeZone: words.timeZone ?? null,
    nextAt: nextTick(when, now, zone),
  };
}

interface KeptSchedule {
  when: unknown;
  timeZone: string | null;
  /** What the store couldn't read of it. */
  fault: string | null;
}

/** Why a stored schedule can't be followed; null: it can. */
export function faultOf({ when, timeZone, fault }: KeptSchedule, configuredZone: string): string | null {
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

/** For whoever wants to change it. */
export function requireReadable(schedule: KeptSchedule & { name: string }, configuredZone: string): void {
  const fault = faultOf(schedule, configuredZone);
  if (fault === null) return;
  throw new HermesError("invalid", `"${schedule.name}" can't be read: ${fault}`, {
    hint: "Remove it and make it anew.",
  });
}

/** One line, short enough for a list. */
function nameFrom(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, " ").trim();
  if (line === "") throw new HermesError("invalid", "The name is empty.");
  const all = Array.from(line);
  return all.length <= NAME_MAX
    ? line
    : `${all
        .slice(0, NAME_MAX - 1)
        .join("")
        .trimEnd()}…`;
}

function checkZone(name: string): void {
  try {
    dateFormat("en", { timeZone: name });
  } catch (cause) {
    throw new HermesError("invalid", `"${name}" is no time zone.`, {
      hint: "Write an IANA name such as Europe/Berlin.",
      cause,
    });
  }
}
