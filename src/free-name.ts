import { existsSync } from "node:fs";

/** The path, or the first free one of `path-2`, `path-3`, …: timestamps in seconds can collide. */
export function freeName(path: string, number = 1): string {
  const free = number === 1 ? path : `${path}-${number}`;
  return existsSync(free) ? freeName(path, number + 1) : free;
}
