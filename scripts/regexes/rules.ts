/** Exceptions and built patterns for the regex check. Keep both lists short. */
import { CJK } from "../../src/store/shared/cjk.js";
import { anyOf } from "../../src/store/shared/snippet.js";
import type { BuiltPattern, Exception } from "./check.js";

export const BUILT: readonly BuiltPattern[] = [
  { file: "src/store/shared/cjk.ts", patterns: [CJK] },
  { file: "src/store/shared/snippet.ts", patterns: [anyOf(["(a+)+$", "a", "aa", "aaa", "[^\\]*", "日本"])] },
];

export const EXCEPTIONS: readonly Exception[] = [];
