/**
 * Regular expressions that operators write. They run on text that anybody can send, so they are matched by RE2, whose
 * time is linear in the text whatever the pattern is. Most homes have none: the engine is loaded with the first.
 */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);
const MAX_KEPT = 200;
const kept = new Map<string, { test(text: string): boolean }>();

/** In any case. Throws where the pattern is broken or needs what RE2 doesn't have: lookahead, back references. */
export function linearPattern(pattern: string): { test(text: string): boolean } {
  const known = kept.get(pattern);
  if (known) return known;
  const { RE2JS } = load("re2js") as typeof import("re2js");
  const flags = RE2JS.CASE_INSENSITIVE | RE2JS.LOOKBEHINDS;
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), flags);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(pattern, compiled);
  return compiled;
}
