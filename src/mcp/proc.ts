/** Reads process data from Linux' /proc. Finds nothing on other systems. */
import fs from "node:fs";

export function processIds(): number[] {
  try {
    return fs
      .readdirSync("/proc")
      .filter((name) => /^\d{1,9}$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** A process's start time in kernel ticks; undefined if there is no such process. */
export function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name, in brackets, may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields?.[0] === "Z" ? undefined : fields?.[19];
}

/** A variable of its environment at its start; undefined if it has none, or belongs to another user. */
export function variableOf(pid: number, name: string): string | undefined {
  const beginning = `${name}=`;
  return read(`/proc/${pid}/environ`)
    ?.split("\0")
    .find((entry) => entry.startsWith(beginning))
    ?.slice(beginning.length);
}

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "latin1");
  } catch {
    return undefined;
  }
}
