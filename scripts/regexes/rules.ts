/** What `npm run check` has to know about regular expressions beyond their text. Both lists should stay short. */
import { CJK } from "../../src/store/sqlite/fulltext.js";
import { anyOf } from "../../src/store/sqlite/snippet.js";
import type { BuiltPattern, Exception } from "./check.js";

export const BUILT: readonly BuiltPattern[] = [
  { file: "src/store/sqlite/fulltext.ts", patterns: [CJK] },
  { file: "src/store/sqlite/snippet.ts", patterns: [anyOf(["(a+)+$", "a", "aa", "aaa", "[^\\]*", "日本"])] },
];

export const EXCEPTIONS: readonly Exception[] = [];
