/** The machine: the SQLite library, the clock, the time zone. */
import type { Config } from "../../config/schema.js";
import { type Finding, found } from "../../finding.js";
import { sqliteVersion } from "../../store/files.js";

export async function checkSqlite(): Promise<Finding> {
  return found.ok(`${await sqliteVersion()} (Node ${process.version})`);
}

/** Signed requests with a clock difference of five minutes are rejected. */
const WRONG_SECONDS = 300;
const OFF_SECONDS = 60;

export interface ClockFacts {
  now: number;
  /** A server's time; undefined if unknown. */
  theirs?: { at: number; host: string };
  newestMessageAt: number | null;
}

export function judgeClock({ now, theirs, newestMessageAt }: ClockFacts): Finding {
  const fix = "Set the clock, and synchronise it (timedatectl set-ntp true).";
  if (theirs) {
    const off = Math.round(now - theirs.at);
    const words = `${Math.abs(off)} s ${off > 0 ? "ahead of" : "behind"} ${theirs.host}`;
    if (Math.abs(off) >= WRONG_SECONDS) return found.fail(`${words}: signed messages are rejected`, fix);
    if (Math.abs(off) >= OFF_SECONDS) return found.warn(words, fix);
    return found.ok(`agrees with ${theirs.host}`);
  }
  if (newestMessageAt !== null && newestMessageAt - now >= WRONG_SECONDS)
    return found.warn("the newest message is from the future: the clock was wrong then, or is now", fix);
  return found.ok("consistent with the newest message");
}

const ASK_MS = 5000;

/** The Date header of any response. */
export async function askTime(address: string): Promise<ClockFacts["theirs"]> {
  try {
    const signal = AbortSignal.timeout(ASK_MS);
    const answer = await fetch(address, { method: "HEAD", redirect: "manual", signal });
    const at = Date.parse(answer.headers.get("date") ?? "") / 1000;
    return Number.isNaN(at) ? undefined : { at, host: new URL(address).host };
  } catch {
    // Another check reports an unreachable server.
    return undefined;
  }
}

export function checkTimezone(config: Config, now: Date): Finding {
  const { timezone, session_reset: reset } = config;
  const time = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "longOffset",
  }).format(now);
  const daily = reset.mode === "daily" || reset.mode === "both";
  const hour = String(reset.at_hour).padStart(2, "0");
  return found.ok(`${timezone}: it is ${time}${daily ? `; sessions are reset at ${hour}:00` : ""}`);
}
