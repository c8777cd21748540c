/**
 * Processes that a crashed gateway has left behind. Servers end by themselves when their input closes; those that don't are
 * ended at the next start. They carry a mark in their environment, which their own children inherit. Linux only.
 */
import { homeMark, OWNER_VARIABLE } from "./environment.js";
import { processIds, startOf, variableOf } from "./proc.js";

/** Ends them and returns their ids. */
export function endOrphans(home: string): number[] {
  const orphans = processIds().filter((pid) => isOrphan(variableOf(pid, OWNER_VARIABLE), home, startOf));
  for (const pid of orphans) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
  return orphans;
}

/** Whether a process with this mark belongs to a gateway of the home that is gone. Pure. */
export function isOrphan(
  mark: string | undefined,
  home: string,
  start: (pid: number) => string | undefined,
): boolean {
  const [ofHome, pid, started] = mark?.split(":") ?? [];
  if (ofHome !== homeMark(home) || !pid || !started) return false;
  return start(Number(pid)) !== started;
}
