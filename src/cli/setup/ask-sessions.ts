/** Asks when sessions are reset, and for the time zone. */
import { isZone } from "../../config/sections/scalars.js";
import type { ResetAnswer } from "./answers.js";
import type { Ask } from "./asking.js";

export async function askReset(ask: Ask, now: ResetAnswer): Promise<ResetAnswer> {
  const mode = await ask.choose(
    "When does a conversation start over? (The old one stays searchable)",
    [
      { value: "both", label: "Every night, and after a long pause" },
      { value: "daily", label: "Every night" },
      { value: "idle", label: "After a long pause" },
      { value: "none", label: "Never by itself", hint: "/new starts a new one" },
    ] as const,
    now.mode,
  );
  const daily = mode === "both" || mode === "daily";
  const idle = mode === "both" || mode === "idle";
  return {
    mode,
    atHour: daily
      ? Number(await ask.text("At which hour? (0-23)", wholeNumber(now.atHour, 0, 23)))
      : now.atHour,
    idleMinutes: idle
      ? Math.round(
          60 * Number(await ask.text("After how many hours without a message?", hours(now.idleMinutes / 60))),
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

export function askTimezone(ask: Ask, now: string): Promise<string> {
  const check = (text: string) => (isZone(text) ? undefined : "An IANA name, such as Europe/Berlin");
  return ask.text("Your time zone", { initial: now, check });
}
