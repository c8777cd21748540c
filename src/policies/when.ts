/**
 * Words for times → when a schedule is due: `0 9 * * 1-5`, `@daily`, `every 30m`, `in 2h`, `2026-06-17T09:00`. Instants
 * are epoch seconds, whole ones: a tick's time is part of its name.
 */
import { Cron } from "croner";
import { HermesError } from "../errors.js";

export type When =
  /** By the calendar of a time zone. What the clocks leave out comes right after the gap, what they repeat comes once. */
  | { kind: "cron"; expression: string }
  /** From a moment on, by the stopwatch. */
  | { kind: "every"; seconds: number; from: number }
  | { kind: "once"; at: number };

/** A schedule that is due more often would never rest. */
export const LEAST_SECONDS = 10;
const MOST_SECONDS = 10 * 366 * 86_400;

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 };
const SPAN = /^(\d{1,6})?\s*(s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)$/;
const MOMENT = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2}))?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Throws what is wrong with it. */
export function parseWhen(text: string, { now, timeZone }: { now: number; timeZone: string }): When {
  const words = text.trim().replace(/\s+/g, " ");
  const [, word, rest = ""] = /^(every|in) (.*)$/i.exec(words) ?? [];
  if (word?.toLowerCase() === "every") return every(rest, words, now);
  const span = spanOf(word === undefined ? words : rest);
  if (span !== undefined) return checkOnce({ kind: "once", at: Math.ceil(now) + span }, now);
  if (MOMENT.test(words)) return checkOnce({ kind: "once", at: momentOf(words, timeZone) }, now);
  if (word !== undefined) throw unreadable(words);
  return byCalendar(words, { now, timeZone });
}

/** Throws what is wrong with a rule that was stored, by another version perhaps. */
export function checkWhen(when: unknown, timeZone: string): void {
  const { kind, at, from, seconds, expression } = (when ?? {}) as Record<string, unknown>;
  const sound =
    (kind === "once" && Number.isFinite(at)) ||
    (kind === "every" && Number.isFinite(from) && Number(seconds) > 0) ||
    (kind === "cron" && typeof expression === "string");
  if (!sound) throw new HermesError("invalid", `${JSON.stringify(when)} is no rule that I know.`);
  if (kind === "cron") ticksFrom({ kind, expression: expression as string }, 0, timeZone);
}

/** The first tick after that instant; null: none will come. */
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

/** The last tick up to that instant, it included; null: none has come yet. */
export function lastTick(when: When, upTo: number, timeZone: string): number | null {
  switch (when.kind) {
    case "once":
      return when.at <= upTo ? when.at : null;
    case "every":
      return upTo < when.from
        ? null
        : when.from + Math.floor((upTo - when.from) / when.seconds) * when.seconds;
    case "cron": {
      // It looks for what lies before a whole second.
      const [last] = cron(when.expression, timeZone).previousRuns(1, new Date((Math.floor(upTo) + 1) * 1000));
      return secondsOf(last ?? null);
    }
  }
}

/** As people read it. */
export function formatWhen(when: When): string {
  if (when.kind === "cron") return when.expression;
  if (when.kind === "once") return "once";
  const [unit = "s", size = 1] =
    Object.entries(UNITS).findLast(([, seconds]) => when.seconds % seconds === 0) ?? [];
  return `every ${when.seconds / size}${unit}`;
}

function every(rest: string, words: string, now: number): When {
  const seconds = spanOf(rest) ?? spanOf(`1 ${rest}`);
  if (seconds === undefined) throw unreadable(words);
  if (seconds < LEAST_SECONDS) throw tooOften(words);
  if (seconds > MOST_SECONDS) throw tooFar(words);
  return { kind: "every", seconds, from: Math.ceil(now) + seconds };
}

function spanOf(text: string): number | undefined {
  const [, count, unit = ""] = SPAN.exec(text.trim().toLowerCase()) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit[0]!]!;
}

function momentOf(words: string, timeZone: string): number {
  const [, year, month, day, hour, minute, second = "00", offset] = MOMENT.exec(words)!;
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // JavaScript takes 31 February for 3 March.
  const utc = new Date(`${wall}Z`);
  if (Number.isNaN(utc.getTime()) || !utc.toISOString().startsWith(wall)) throw unreadable(words);
  if (offset !== undefined) return Date.parse(wall + offset.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2")) / 1000;
  return secondsOf(cron(wall, timeZone).getOnce()) ?? Number.NaN;
}

function checkOnce(when: When & { kind: "once" }, now: number): When {
  if (Number.isNaN(when.at)) throw unreadable(String(when.at));
  if (when.at <= now)
    throw new HermesError("invalid", `${new Date(when.at * 1000).toISOString()} is over already.`, {
      hint: FORMS,
    });
  if (when.at - now > MOST_SECONDS) throw tooFar(new Date(when.at * 1000).toISOString());
  return when;
}

function byCalendar(expression: string, { now, timeZone }: { now: number; timeZone: string }): When {
  const when: When = { kind: "cron", expression };
  const ticks = ticksFrom(when, now, timeZone);
  if (ticks.length === 0) throw new HermesError("invalid", `"${expression}" never comes.`, { hint: FORMS });
  if (ticks.some((tick, i) => i > 0 && tick - ticks[i - 1]! < LEAST_SECONDS)) throw tooOften(expression);
  return when;
}

const LOOKED_AT = 5;

function ticksFrom({ expression }: When & { kind: "cron" }, now: number, timeZone: string): number[] {
  try {
    return cron(expression, timeZone)
      .nextRuns(LOOKED_AT, new Date(now * 1000))
      .map((run) => run.getTime() / 1000);
  } catch (error) {
    // Its own words tell which field is wrong.
    throw unreadable(expression, error);
  }
}

/** Nothing is timed by it: it only tells times. */
function cron(expression: string, timezone: string): Cron {
  return new Cron(expression, { timezone, paused: true });
}

function secondsOf(run: Date | null): number | null {
  return run === null ? null : run.getTime() / 1000;
}

const FORMS = 'Write "0 9 * * 1-5", "every 30m", "in 2h" or "2026-06-17T09:00".';

function unreadable(words: string, cause?: unknown): HermesError {
  const detail = cause instanceof Error ? ` (${cause.message.replace(/^Cron\w*: /, "")})` : "";
  return new HermesError("invalid", `"${words}" is no time that I understand${detail}.`, {
    hint: FORMS,
    cause,
  });
}

function tooOften(words: string): HermesError {
  return new HermesError("invalid", `"${words}" is too often: ${LEAST_SECONDS} seconds are the least.`);
}

function tooFar(words: string): HermesError {
  return new HermesError("invalid", `"${words}" is too far: ten years are the most.`);
}
