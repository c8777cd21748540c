import { existsSync } from "node:fs";

/** The path, or the first of `path-2`, `path-3`, … that isn't taken: names by the second may be wanted twice in one. */
export function freeName(path: string, number = 1): string {
  const free = number === 1 ? path : `${path}-${number}`;
  return existsSync(free) ? freeName(path, number + 1) : free;
}
