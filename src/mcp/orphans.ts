/**
 * Ends processes that a crashed gateway left behind. Servers normally exit when their input closes; the
 * others are ended at the next start. They are found by a mark in their environment, which their children
 * inherit. Linux only.
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
      // It has ended in the meantime.
    }
  }
  return orphans;
}

/** Whether a process with this mark belongs to a dead gateway of this home. Pure. */
export function isOrphan(
  mark: string | undefined,
  home: string,
  start: (pid: number) => string | undefined,
): boolean {
  const [ofHome, pid, started] = mark?.split(":") ?? [];
  if (ofHome !== homeMark(home) || !pid || !started) return false;
  return start(Number(pid)) !== started;
}
