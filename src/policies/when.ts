/**
 * Parses schedule times: `0 9 * * 1-5`, `@daily`, `every 30m`, `in 2h`, `2026-06-17T09:00`. Instants are whole epoch
 * seconds, because a tick's time is part of its id.
 */
import { Cron } from "croner";
import { HermesError } from "../errors.js";

export type When =
  /** In a time zone. Ticks in a clock-change gap run right after it; repeated ones run once. */
  | { kind: "cron"; expression: string }
  /** A fixed interval from a start time. */
  | { kind: "every"; seconds: number; from: number }
  | { kind: "once"; at: number };

/** Minimum interval. */
export const MIN_SECONDS = 10;
const MAX_SECONDS = 10 * 366 * 86_400;

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 };
const SPAN = /^(\d{1,6})?\s*(s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)$/;
const MOMENT = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2}))?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Throws if the text is invalid. */
export function parseWhen(text: string, { now, timeZone }: { now: number; timeZone: string }): When {
  const input = text.trim().replace(/\s+/g, " ");
  const [, keyword, rest = ""] = /^(every|in) (.*)$/i.exec(input) ?? [];
  if (keyword?.toLowerCase() === "every") return every(rest, input, now);
  const span = spanOf(keyword === undefined ? input : rest);
  if (span !== undefined) return checkOnce({ kind: "once", at: Math.ceil(now) + span }, now);
  if (MOMENT.test(input)) return checkOnce({ kind: "once", at: momentOf(input, timeZone) }, now);
  if (keyword !== undefined) throw unreadable(input);
  return byCalendar(input, { now, timeZone });
}

/** Throws if a stored rule is invalid; another version may have written it. */
export function checkWhen(when: unknown, timeZone: string): void {
  const { kind, at, from, seconds, expression } = (when ?? {}) as Record<string, unknown>;
  const isValid =
    (kind === "once" && Number.isFinite(at)) ||
    (kind === "every" && Number.isFinite(from) && Number(seconds) > 0) ||
    (kind === "cron" && typeof expression === "string");
  if (!isValid) throw new HermesError("invalid", `Unknown schedule rule ${JSON.stringify(when)}.`);
  if (kind === "cron") ticksFrom({ kind, expression: expression as string }, 0, timeZone);
}

/** The first tick after the instant; null if there is none. */
export function nextTick(when: When, after: number, timeZone: string): number | null {
  switch (when.kind) {
    case "once":
      return when.at > after ? when.at : null;
    case "every":
      return after < when.from
        ? when.from
        : when.from + (Math.floor((after - when.from) / when.seconds) + 1) * when.seconds;
    case "cron":
      return secondsOf(cron(when.expression, timeZone).nextRun(new Date(after * 1000)));
  }
}

/** The last tick at or before the instant; null if there is none. */
export function lastTick(when: When, upTo: number, timeZone: string): number | null {
  switch (when.kind) {
    case "once":
      return when.at <= upTo ? when.at : null;
    case "every":
      return upTo < when.from
        ? null
        : when.from + Math.floor((upTo - when.from) / when.seconds) * when.seconds;
    case "cron": {
      // previousRuns searches before a whole second, exclusively.
      const [last] = cron(when.expression, timeZone).previousRuns(1, new Date((Math.floor(upTo) + 1) * 1000));
      return secondsOf(last ?? null);
    }
  }
}

/** Human-readable. */
export function formatWhen(when: When): string {
  if (when.kind === "cron") return when.expression;
  if (when.kind === "once") return "once";
  const [unit = "s", size = 1] =
    Object.entries(UNITS).findLast(([, seconds]) => when.seconds % seconds === 0) ?? [];
  return `every ${when.seconds / size}${unit}`;
}

function every(rest: string, input: string, now: number): When {
  const seconds = spanOf(rest) ?? spanOf(`1 ${rest}`);
  if (seconds === undefined) throw unreadable(input);
  if (seconds < MIN_SECONDS) throw tooOften(input);
  if (seconds > MAX_SECONDS) throw tooFar(input);
  return { kind: "every", seconds, from: Math.ceil(now) + seconds };
}

function spanOf(text: string): number | undefined {
  const [, count, unit = ""] = SPAN.exec(text.trim().toLowerCase()) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit[0]!]!;
}

function momentOf(input: string, timeZone: string): number {
  const [, year, month, day, hour, minute, second = "00", offset] = MOMENT.exec(input)!;
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // JavaScript parses 31 February as 3 March.
  const utc = new Date(`${wall}Z`);
  if (Number.isNaN(utc.getTime()) || !utc.toISOString().startsWith(wall)) throw unreadable(input);
  if (offset !== undefined) return Date.parse(wall + offset.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2")) / 1000;
  return secondsOf(cron(wall, timeZone).getOnce()) ?? Number.NaN;
}

function checkOnce(when: When & { kind: "once" }, now: number): When {
  if (Number.isNaN(when.at)) throw unreadable(String(when.at));
  if (when.at <= now)
    throw new HermesError("invalid", `${new Date(when.at * 1000).toISOString()} is in the past.`, {
      hint: FORMS,
    });
  if (when.at - now > MAX_SECONDS) throw tooFar(new Date(when.at * 1000).toISOString());
  return when;
}

function byCalendar(expression: string, { now, timeZone }: { now: number; timeZone: string }): When {
  const when: When = { kind: "cron", expression };
  const ticks = ticksFrom(when, now, timeZone);
  if (ticks.length === 0) throw new HermesError("invalid", `"${expression}" never matches.`, { hint: FORMS });
  if (ticks.some((tick, i) => i > 0 && tick - ticks[i - 1]! < MIN_SECONDS)) throw tooOften(expression);
  return when;
}

const CHECKED_TICKS = 5;

function ticksFrom({ expression }: When & { kind: "cron" }, now: number, timeZone: string): number[] {
  try {
    return cron(expression, timeZone)
      .nextRuns(CHECKED_TICKS, new Date(now * 1000))
      .map((run) => run.getTime() / 1000);
  } catch (error) {
    // The parser's message names the invalid field.
    throw unreadable(expression, error);
  }
}

/** Only computes times: paused, so it never fires. */
function cron(expression: string, timezone: string): Cron {
  return new Cron(expression, { timezone, paused: true });
}

function secondsOf(run: Date | null): number | null {
  return run === null ? null : run.getTime() / 1000;
}

const FORMS = 'Use "0 9 * * 1-5", "every 30m", "in 2h" or "2026-06-17T09:00".';

function unreadable(input: string, cause?: unknown): HermesError {
  const detail = cause instanceof Error ? ` (${cause.message.replace(/^Cron\w*: /, "")})` : "";
  return new HermesError("invalid", `Invalid time "${input}"${detail}.`, {
    hint: FORMS,
    cause,
  });
}

function tooOften(input: string): HermesError {
  return new HermesError(
    "invalid",
    `"${input}" is too often: the minimum interval is ${MIN_SECONDS} seconds.`,
  );
}

function tooFar(input: string): HermesError {
  return new HermesError("invalid", `"${input}" is too far ahead: the maximum is ten years.`);
}
