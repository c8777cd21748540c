/** Which tools of a server are offered. Pure. */
import { matches } from "../policies/approval.js";
import type { ToolFilter } from "./settings.js";

/** `include` wins over `exclude`; an empty `include` leaves only the helpers. */
export function isWanted(name: string, { include, exclude }: ToolFilter): boolean {
  const isIn = (patterns: readonly string[]) => patterns.some((pattern) => matches(name, pattern));
  return include ? isIn(include) : !isIn(exclude);
}
