/** The environment of a server's process: never the gateway's keys. Pure, except for `ownerMark`. */
import { createHash } from "node:crypto";
import { startOf } from "./proc.js";

const PASSED_ON = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR"];
/** Lets the next gateway of this home find processes that an earlier one left behind. */
export const OWNER_VARIABLE = "HERMES_MCP_OWNER";

type Env = Readonly<Record<string, string | undefined>>;

export function serverEnvironment(own: Env, configured: Env, mark: string): Record<string, string> {
  const passed = PASSED_ON.map((name) => [name, own[name]] as const);
  const all = [...passed, ...Object.entries(configured), [OWNER_VARIABLE, mark] as const];
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Identifies the owner: the home, and the gateway's pid with its start time, because pids are reused. */
export function ownerMark(home: string, pid = process.pid): string {
  return `${homeMark(home)}:${pid}:${startOf(pid) ?? ""}`;
}

export function homeMark(home: string): string {
  return createHash("sha256").update(home).digest("hex").slice(0, 16);
}
