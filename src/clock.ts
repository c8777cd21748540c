import { randomBytes } from "node:crypto";

/** Epoch seconds with a fraction, the unit of every time in `state.db`. */
export function nowSeconds(): number {
  return Date.now() / 1000;
}

/** Monotonic seconds, for durations: unlike the wall clock, it never goes back. */
export function monotonicSeconds(): number {
  return performance.now() / 1000;
}

/** `20260616_091523_2e8c7d42`: local time, then eight random hex digits, as Hermes names its sessions. */
export function newSessionId(now: Date = new Date(), random: Buffer = randomBytes(4)): string {
  return `${fileStamp(now)}_${random.toString("hex")}`;
}

/** `20260616_091523`, in local time, for ids and the names of copies. */
export function fileStamp(now: Date = new Date()): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${date}_${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}
