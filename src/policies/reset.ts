/**
 * Policy + last user activity + now + zone → the reason to reset the session, or undefined. Instants are epoch seconds,
 * compared as whole microseconds: "exactly at the deadline" then means the same as in Hermes.
 */
import { dateFormat } from "../date-format.js";
import { HermesError } from "../errors.js";

export interface ResetPolicy {
  /** Other values behave like "none". */
  mode: "idle" | "daily" | "both" | "none" | (string & {});
  /** Local hour, 0-23. */
  atHour: number;
  idleMinutes: number;
}

export type ResetReason = "idle" | "daily";

export interface ResetClock {
  lastUserActivity: number;
  now: number;
  /** IANA name. */
  timeZone: string;
  hasBackgroundWork: boolean;
}

export interface ResetSettings {
  default: ResetPolicy;
  byType: Readonly<Record<string, ResetPolicy>>;
  byPlatform: Readonly<Record<string, ResetPolicy>>;
  /** Platforms whose threads are conversations that people return to: only a policy of the platform resets them. */
  lasting?: ReadonlySet<string>;
}

const NEVER: ResetPolicy = { mode: "none", atHour: 0, idleMinutes: 0 };

/** An override replaces the whole policy, not single fields. */
export function resetPolicyFor(
  chat: { chatType: string; platform: string; threadId?: string | null },
  settings: ResetSettings,
): ResetPolicy {
  const lasts = chat.threadId != null && settings.lasting?.has(chat.platform);
  const general = lasts ? NEVER : (own(settings.byType, chat.chatType) ?? settings.default);
  return own(settings.byPlatform, chat.platform) ?? general;
}

// A chat type can be any string: "constructor" must not find an inherited property.
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function resetReason(policy: ResetPolicy, clock: ResetClock): ResetReason | undefined {
  if (clock.hasBackgroundWork) return undefined;
  const last = micros(clock.lastUserActivity);
  const now = micros(clock.now);
  if (resetsWhenIdle(policy) && now > last + idleMicros(policy)) return "idle";
  if (resetsDaily(policy) && last < latestDailyBoundary(now, policy.atHour, clock.timeZone)) return "daily";
  return undefined;
}

/**
 * When the session would reset without further messages. `at` is in the past if it is due already: the next message
 * then starts a new session. Undefined during background work and in mode "none".
 */
export function nextReset(
  policy: ResetPolicy,
  clock: ResetClock,
): { at: number; reason: ResetReason } | undefined {
  if (clock.hasBackgroundWork) return undefined;
  const last = micros(clock.lastUserActivity);
  const idleAt = resetsWhenIdle(policy) ? last + idleMicros(policy) : Number.POSITIVE_INFINITY;
  const dailyAt = resetsDaily(policy)
    ? nextDailyBoundary(last, policy.atHour, clock.timeZone)
    : Number.POSITIVE_INFINITY;
  const at = Math.min(idleAt, dailyAt);
  if (!Number.isFinite(at)) return undefined;
  const reason = resetReason(policy, clock) ?? (idleAt < dailyAt ? "idle" : "daily");
  return { at: (reason === "idle" ? idleAt : dailyAt) / 1e6, reason };
}

function resetsWhenIdle(policy: ResetPolicy): boolean {
  return policy.mode === "idle" || policy.mode === "both";
}

function resetsDaily(policy: ResetPolicy): boolean {
  return policy.mode === "daily" || policy.mode === "both";
}

function idleMicros(policy: ResetPolicy): number {
  return Math.round(policy.idleMinutes * 60e6);
}

function micros(epochSeconds: number): number {
  return Math.round(epochSeconds * 1e6);
}

// --- the daily boundary -------------------------------------------------------------------------------------------
// A day's boundary is the first instant at which the zone's wall clock has reached at_hour:00:00 of that date. This
// covers the gap (the first instant after it), the overlap (the first of two) and a skipped date.

const DAY_SECONDS = 86_400;

function latestDailyBoundary(nowMicros: number, atHour: number, timeZone: string): number {
  const now = Math.floor(nowMicros / 1e6);
  const today = Math.floor(wallClock(now, timeZone) / DAY_SECONDS);
  // Starts with tomorrow: if the clock was set back over midnight, tomorrow's boundary may have passed.
  for (let day = today + 1; ; day--) {
    const boundary = firstInstantAt(day * DAY_SECONDS + atHour * 3600, timeZone);
    if (boundary <= now) return boundary * 1e6;
  }
}

function nextDailyBoundary(afterMicros: number, atHour: number, timeZone: string): number {
  const today = Math.floor(wallClock(Math.floor(afterMicros / 1e6), timeZone) / DAY_SECONDS);
  for (let day = today - 1; ; day++) {
    const boundary = firstInstantAt(day * DAY_SECONDS + atHour * 3600, timeZone) * 1e6;
    if (boundary > afterMicros) return boundary;
  }
}

/** The first instant at which the wall clock shows `wall` or later, both in seconds. */
function firstInstantAt(wall: number, timeZone: string): number {
  // Offsets are between -12 h and +14 h, so a relevant clock change is within this window.
  const from = wall - 15 * 3600;
  const to = wall + 13 * 3600;
  const before = offsetSeconds(from, timeZone);
  const after = offsetSeconds(to, timeZone);
  if (before === after) return wall - before;
  const change = offsetChange(from, to, timeZone);
  return wall - before < change ? wall - before : Math.max(change, wall - after);
}

/** The first second in (from, to] whose offset differs from that of `from`. */
function offsetChange(from: number, to: number, timeZone: string): number {
  const before = offsetSeconds(from, timeZone);
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetSeconds(middle, timeZone) === before) low = middle;
    else high = middle;
  }
  return high;
}

function offsetSeconds(instant: number, timeZone: string): number {
  return wallClock(instant, timeZone) - instant;
}

/** The local time at this instant, as seconds since 1970-01-01T00:00 local time. */
function wallClock(instant: number, timeZone: string): number {
  if (timeZone === "UTC") return instant;
  const shown: Record<string, number> = {};
  for (const part of formatterFor(timeZone).formatToParts(instant * 1000))
    shown[part.type] = Number(part.value);
  const { year, month, day, hour, minute, second } = shown;
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) / 1000;
}

const NUMBER = "numeric";
const FIELDS = {
  year: NUMBER,
  month: NUMBER,
  day: NUMBER,
  hour: NUMBER,
  minute: NUMBER,
  second: NUMBER,
  hourCycle: "h23",
  calendar: "iso8601",
} as const;

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return dateFormat("en-US", { ...FIELDS, timeZone });
  } catch (cause) {
    throw new HermesError("invalid", `Unknown time zone "${timeZone}"`, {
      hint: "Set `timezone` to an IANA name such as Europe/Berlin.",
      cause,
    });
  }
}

// --- `hermes explain reset -` -------------------------------------------------------------------------------------

/** The input format of the vectors: local times without a zone. */
export interface NaiveResetQuestion {
  policy: { mode: string; at_hour: number; idle_minutes: number };
  updated_at: string;
  now: string;
  has_active_processes?: boolean;
}

export function resetReasonNaive(question: NaiveResetQuestion): ResetReason | undefined {
  const { mode, at_hour, idle_minutes } = question.policy;
  return resetReason(
    { mode, atHour: at_hour, idleMinutes: idle_minutes },
    {
      lastUserActivity: naiveSeconds(question.updated_at),
      now: naiveSeconds(question.now),
      // Naive times have no clock changes.
      timeZone: "UTC",
      hasBackgroundWork: question.has_active_processes ?? false,
    },
  );
}

function naiveSeconds(isoTime: string): number {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,6})?$/.exec(isoTime);
  const seconds = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}Z`) / 1000;
  if (Number.isNaN(seconds)) throw new HermesError("invalid", `Not a local ISO time: "${isoTime}"`);
  return seconds + Number(match?.[3] ?? 0);
}
