import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { checkRegexes, type Exception, type Rules } from "../scripts/regexes/check.js";

const root = mkdtempSync(path.join(tmpdir(), "regexes-"));
afterAll(() => rmSync(root, { recursive: true }));

function check(text: string, rules: Partial<Rules> = {}, file = "file.ts"): Promise<string[]> {
  writeFileSync(path.join(root, file), text);
  return checkRegexes(root, [file], { built: [], exceptions: [], ...rules });
}

const TRAILING = "export const trim = (text: string) =>\n  text.replace(/x+$/, '');\n";

it("accepts linear patterns, and text that only looks like a pattern", async () => {
  const text =
    "const a = /^x+$/;\nconst b = 'new RegExp(1)'; // /(x+)+$/\nexport const half = (n: number) => n / 2 / a.lastIndex;\n";
  expect(await check(text)).toEqual([]);
});

it("reports the line, the pattern and the attack", async () => {
  expect(await check(TRAILING)).toEqual([
    expect.stringMatching(/^file\.ts:2 {2}\/x\+\$\/ {2}2nd degree polynomial, attacked by 'x'\.repeat/),
  ]);
  expect(await check("export const View = () => <p>{/(a|a)*$/.test('')}</p>;", {}, "view.tsx")).toEqual([
    expect.stringMatching(/^view\.tsx:1 .*exponential/),
  ]);
});

it("fails on undecidable patterns", async () => {
  expect(await check("export const a = /[\\p{L}--a]/v;")).toEqual([expect.stringContaining("can't tell")]);
});

it("requires an entry for every construction, and checks its patterns", async () => {
  const text = "export const of = (word: string) => new RegExp(word);\nexport const also = RegExp('a');\n";
  const entry = (pattern: RegExp) => ({ file: "file.ts", patterns: [pattern] });
  expect(await check(text)).toEqual([expect.stringMatching(/^file\.ts:1,2 {2}2 × new RegExp, 0 listed/)]);
  expect(await check(text, { built: [entry(/a/)] })).toEqual([expect.stringContaining("1 listed")]);
  expect(await check(text, { built: [entry(/a/), entry(/b/)] })).toEqual([]);
  expect(await check(text, { built: [entry(/a/), entry(/(b+)+$/)] })).toEqual([
    expect.stringMatching(/^file\.ts:1 {2}\/\(b\+\)\+\$\/ .*exponential/),
  ]);
  expect(await check("", { built: [entry(/a/)] })).toEqual([expect.stringContaining("0 × new RegExp")]);
});

it("an exception needs its cap and its growth test, and must be removed with the pattern", async () => {
  writeFileSync(path.join(root, "edge.ts"), "const MAX_CHARS = 100;");
  writeFileSync(path.join(root, "growth.test.ts"), 'it("trims in time")');
  const exception: Exception = {
    file: "file.ts",
    pattern: /x+$/,
    reason: "an example",
    cap: { name: "MAX_CHARS", file: "edge.ts" },
    growthTest: { name: "trims in time", file: "growth.test.ts" },
  };
  expect(await check(TRAILING, { exceptions: [exception] })).toEqual([]);
  const uncapped = { ...exception, cap: { name: "MAX_WORDS", file: "edge.ts" } };
  expect(await check(TRAILING, { exceptions: [uncapped] })).toEqual([
    expect.stringContaining('"MAX_WORDS" isn\'t in edge.ts'),
  ]);
  const untested = { ...exception, growthTest: { name: "x", file: "none.test.ts" } };
  expect(await check(TRAILING, { exceptions: [untested] })).toEqual([
    expect.stringContaining('"x" isn\'t in none.test.ts'),
  ]);
  expect(await check("", { exceptions: [exception] })).toEqual([
    expect.stringContaining("remove its exception"),
  ]);
});
