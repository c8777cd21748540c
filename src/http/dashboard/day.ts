import { dateFormat } from "../../date-format.js";

export const systemTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Midnight in the time zone. An hour off on days when the clocks change. */
export function startOfDay(at: number, timeZone: string): number {
  const clock = dateFormat("sv-SE", { timeZone, hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const [hours = 0, minutes = 0, seconds = 0] = clock
    .format(at * 1000)
    .split(":")
    .map(Number);
  return Math.floor(at) - (hours * 3600 + minutes * 60 + seconds);
}
