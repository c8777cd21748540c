/** Asks when sessions are reset, and for the time zone. */
import { isZone } from "../../config/sections/scalars.js";
import type { ResetAnswer } from "./answers.js";
import { askText, choose } from "./prompts.js";

export async function askReset(now: ResetAnswer): Promise<ResetAnswer> {
  const mode = await choose(
    "When is a session reset?",
    [
      { value: "both", label: "Every night, and after a long pause" },
      { value: "daily", label: "Every night" },
      { value: "idle", label: "After a long pause" },
      { value: "none", label: "Never automatically", hint: "/new starts a new one" },
    ] as const,
    now.mode,
  );
  const daily = mode === "both" || mode === "daily";
  const idle = mode === "both" || mode === "idle";
  return {
    mode,
    atHour: daily
      ? Number(await askText("At which hour? (0-23)", wholeNumber(now.atHour, 0, 23)))
      : now.atHour,
    idleMinutes: idle
      ? Math.round(
          60 * Number(await askText("After how many hours without a message?", hours(now.idleMinutes / 60))),
        )
      : now.idleMinutes,
  };
}

function wholeNumber(now: number, least: number, most: number) {
  const check = (text: string) => {
    const fits = /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
    return fits ? undefined : `A whole number from ${least} to ${most}`;
  };
  return { initial: String(now), check };
}

function hours(now: number) {
  const check = (text: string) => {
    const minutes = Math.round(60 * Number(text));
    return /^\d+(\.\d+)?$/.test(text) && minutes >= 1 ? undefined : "A number, such as 24 or 0.5";
  };
  return { initial: String(Math.round(now * 100) / 100), check };
}

export function askTimezone(now: string): Promise<string> {
  const check = (text: string) => (isZone(text) ? undefined : "An IANA name, such as Europe/Berlin");
  return askText("Your time zone", { initial: now, check });
}
