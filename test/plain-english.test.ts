import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

/** Words that engineers rarely use. docs/glossary.md has the preferred ones. */
const REJECTED = [
  "nobody",
  "somebody",
  "whoever",
  "whomever",
  "stands",
  "anew",
  "errand",
  "farewell",
  "aftermath",
  "thereof",
  "is told",
  "are told",
  "was told",
  "takes leave",
  "that which",
  "it was had",
  "everybody",
  "anybody",
  "does no harm",
  "do no harm",
  "again and again",
  "now and then",
  "typing sign",
  "takes? along",
  "can't be had",
  "reads? along",
  "in vain",
];
/** Reads a key of the old layout. */
const MIGRATION = "src/store/sqlite/migrate-layout.ts";
const PATTERN = new RegExp(`\\b(?:${REJECTED.join("|")})s?\\b`, "i");

const ROOT = path.resolve(import.meta.dirname, "..");
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && fs.existsSync(path.join(ROOT, file)));

function linesOf(file: string): { file: string; line: string }[] {
  const text = fs.readFileSync(path.join(ROOT, file), "utf8");
  return text.split("\n").map((line, i) => ({ file: `${file}:${i + 1}`, line: line.trim() }));
}

function rejected(files: readonly string[], isChecked: (line: string) => boolean = () => true): string[] {
  return files
    .flatMap(linesOf)
    .filter(({ line }) => isChecked(line) && PATTERN.test(line))
    .map(({ file, line }) => `${file} ${line}`);
}

describe("plain English", () => {
  it("is used in code, comments, errors, help and logs", () => {
    const sources = tracked.filter((file) =>
      /^(src|dashboard\/src|examples|scripts|bench)\/.*\.tsx?$/.test(file),
    );
    expect(sources.length).toBeGreaterThan(400);
    expect(rejected(sources.filter((file) => file !== MIGRATION))).toEqual([]);
  });

  it("is used in the documents and the configuration", () => {
    const pages = tracked.filter((file) => /^(docs\/.*\.md|config\/.*|[A-Z]+\.md)$/.test(file));
    expect(pages.length).toBeGreaterThan(20);
    expect(rejected(pages)).toEqual([]);
  });

  it("is used in test names", () => {
    const tests = tracked.filter(
      (file) => file.endsWith(".test.ts") && file !== "test/plain-english.test.ts",
    );
    const isName = (line: string) => /\b(?:describe|it|test)(?:\.\w+)*\(/.test(line);
    expect(tests.length).toBeGreaterThan(100);
    expect(rejected(tests, isName)).toEqual([]);
  });
});
