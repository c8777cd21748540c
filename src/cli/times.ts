import { InvalidArgumentError } from "commander";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

/** `just now`, `5m ago`, `2h ago`, `yesterday`, `3d ago`, then the date, as Hermes says it. Times are epoch seconds. */
export function relativeTime(time: number | null | undefined, now: number): string {
  if (!time) return "?";
  const age = now - time;
  if (age < MINUTE) return "just now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  if (age < 2 * DAY) return "yesterday";
  if (age < 7 * DAY) return `${Math.floor(age / DAY)}d ago`;
  return localDate(time);
}

/** `2026-06-16` in local time. */
export function localDate(time: number): string {
  const date = new Date(time * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `2026-06-16 09:15` in local time. */
export function localMinute(time: number): string {
  const date = new Date(time * 1000);
  return `${localDate(time)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/**
 * `7d` (also m, h, w) before now, a day, or a moment in ISO form, as epoch seconds. A day means its beginning, or its
 * last moment where a range ends with it.
 */
export function parseTime(text: string, now: number, day: "begin" | "end" = "begin"): number {
  const age = /^(\d+)([mhdw])$/.exec(text);
  if (age) return now - Number(age[1]) * (UNITS[age[2] ?? ""] ?? 0);
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const parsed = date ? localDay(Number(date[1]), Number(date[2]), Number(date[3]), day) : Date.parse(text);
  if (Number.isNaN(parsed))
    throw new InvalidArgumentError(
      "Use a date (2026-06-16), a moment (2026-06-16T09:15) or an age (7d, 12h).",
    );
  return parsed / 1000;
}

function localDay(year: number, month: number, day: number, edge: "begin" | "end"): number {
  const begin = new Date(year, month - 1, day);
  // JavaScript would take 31 February for 3 March.
  if (begin.getMonth() !== month - 1 || begin.getDate() !== day) return Number.NaN;
  return edge === "begin" ? begin.getTime() : new Date(year, month - 1, day + 1).getTime() - 1;
}
