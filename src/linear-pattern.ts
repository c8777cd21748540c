/**
 * Regular expressions from the configuration. They run on untrusted text, so they use RE2, which is linear in
 * the text for every pattern. Loaded on first use, because most configurations have none.
 */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);
const MAX_CACHED = 200;
const cache = new Map<string, { test(text: string): boolean }>();

/** Case-insensitive. Throws if the pattern is invalid or unsupported by RE2 (lookahead, back references). */
export function linearPattern(pattern: string): { test(text: string): boolean } {
  const cached = cache.get(pattern);
  if (cached) return cached;
  const { RE2JS } = load("re2js") as typeof import("re2js");
  const flags = RE2JS.CASE_INSENSITIVE | RE2JS.LOOKBEHINDS;
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), flags);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(pattern, compiled);
  return compiled;
}
