import { readFile, stat } from "node:fs/promises";

/**
 * The other processes that hold a lock on a file. Node has no API for it, but Linux lists all locks (`… FLOCK … WRITE 2187
 * fe:00:215 …`, SQLite's as POSIX). Returns none on other systems.
 */
export async function lockHolders(path: string, kind: "FLOCK" | "POSIX"): Promise<number[]> {
  const file = await stat(path).catch(() => undefined);
  const locks = file && (await readFile("/proc/locks", "latin1").catch(() => undefined));
  if (!file || !locks) return [];
  const pids = new Set<number>();
  for (const line of locks.split("\n")) {
    const words = line.split(/\s+/);
    const at = words.indexOf(kind);
    if (at === -1) continue;
    const [pid, place = ""] = words.slice(at + 3);
    const [major, minor, inode] = place.split(":");
    const device = deviceNumber(Number.parseInt(major!, 16), Number.parseInt(minor!, 16));
    if (Number(inode) === file.ino && device === file.dev) pids.add(Number(pid));
  }
  pids.delete(process.pid);
  return [...pids].sort((a, b) => a - b);
}

/** As glibc packs major and minor into `st_dev`; both are small enough here for plain numbers. */
function deviceNumber(major: number, minor: number): number {
  return (minor & 0xff) + (major & 0xfff) * 0x100 + (minor >>> 8) * 0x100000;
}
