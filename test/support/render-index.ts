import { indexParts } from "../../src/sessions/index-file.js";

/** Members → the whole of `sessions.json`. */
export function renderIndex(entries: Iterable<string>): string {
  return [...indexParts([[...entries]])].join("");
}
