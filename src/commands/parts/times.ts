/** Formats times for people, in the configured zone. Instants are epoch seconds. */
import { dateFormat } from "../../date-format.js";

const TWO = "2-digit";
const FIELDS = { year: "numeric", month: TWO, day: TWO, hour: TWO, minute: TWO } as const;

/** `2026-06-17 04:00 (Europe/Berlin)`. */
export function localTime(at: number, timeZone: string): string {
  const format = dateFormat("en-US", { ...FIELDS, timeZone, hourCycle: "h23", calendar: "iso8601" });
  const shown: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of format.formatToParts(at * 1000)) shown[type] = value;
  return `${shown.year}-${shown.month}-${shown.day} ${shown.hour}:${shown.minute} (${timeZone})`;
}

/** "12 min", "5 h", "3 days". */
export function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "less than a minute";
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

export function ago(at: number, now: number): string {
  return now - at < 60 ? "just now" : `${duration(now - at)} ago`;
}
