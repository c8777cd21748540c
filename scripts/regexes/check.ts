/** Source files → the regular expressions that aren't linear or can't be checked. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Construction, findRegexes, type Literal } from "./find.js";
import { keyOf, verdictsOn } from "./verdict.js";

/** The possible patterns of a `new RegExp(…)` in this file. Every construction needs an entry. */
export interface BuiltPattern {
  file: string;
  patterns: readonly RegExp[];
}

export interface Exception {
  file: string;
  pattern: RegExp;
  /** Why it isn't rewritten. */
  reason: string;
  /** The constant that limits the text's length, and the file that applies it. */
  cap: { name: string; file: string };
  /** The test that shows how the time grows up to the cap. */
  growthTest: { name: string; file: string };
}

export interface Rules {
  built: readonly BuiltPattern[];
  exceptions: readonly Exception[];
}

/** Paths are relative to the root. */
export async function checkRegexes(
  root: string,
  files: readonly string[],
  { built, exceptions }: Rules,
): Promise<string[]> {
  const found = files.map((file) => findRegexes(file, readFileSync(path.join(root, file), "utf8")));
  const literals = found.flatMap((one) => one.literals);
  const constructions = found.flatMap((one) => one.constructions);
  const sites = [...literals, ...builtSites(built, constructions)];
  const verdicts = await verdictsOn(sites);
  const slow = sites.filter((site) => verdicts.get(keyOf(site)) !== undefined);
  return [
    ...slow
      .filter((site) => !exceptions.some((exception) => excuses(exception, site)))
      .map((site) => `${site.file}:${site.line}  ${keyOf(site)}  ${verdicts.get(keyOf(site))}`),
    ...accounts(constructions, built),
    ...exceptions.flatMap((exception) => exceptionFaults(root, exception, slow)),
  ];
}

function builtSites(built: readonly BuiltPattern[], constructions: readonly Construction[]): Literal[] {
  return built.flatMap(({ file, patterns }) => {
    const line = constructions.find((construction) => construction.file === file)?.line ?? 0;
    return patterns.map(({ source, flags }) => ({ file, line, source, flags }));
  });
}

/** Each file needs as many entries as constructions. */
function accounts(constructions: readonly Construction[], built: readonly BuiltPattern[]): string[] {
  const files = new Set([...constructions, ...built].map(({ file }) => file));
  return [...files].flatMap((file) => {
    const lines = constructions.filter((construction) => construction.file === file).map(({ line }) => line);
    const entries = built.filter((entry) => entry.file === file).length;
    if (lines.length === entries) return [];
    return `${file}:${lines.join(",")}  ${lines.length} × new RegExp, ${entries} listed: write a literal, or list its possible patterns in scripts/regexes/rules.ts`;
  });
}

function excuses({ file, pattern }: Exception, site: Literal): boolean {
  return file === site.file && keyOf(pattern) === keyOf(site);
}

function exceptionFaults(root: string, exception: Exception, slow: readonly Literal[]): string[] {
  const { file, pattern, cap, growthTest } = exception;
  const says = (what: string) => `${file}  ${keyOf(pattern)}  ${what}`;
  if (!slow.some((site) => excuses(exception, site)))
    return [says("no longer exists, or is no longer slow: remove its exception")];
  return [cap, growthTest]
    .filter(({ name, file: place }) => !contains(path.join(root, place), name))
    .map(({ name, file: expected }) => says(`"${name}" isn't in ${expected}, as its exception claims`));
}

function contains(file: string, text: string): boolean {
  try {
    return readFileSync(file, "utf8").includes(text);
  } catch {
    // A missing file counts as missing text.
    return false;
  }
}
