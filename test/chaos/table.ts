/** What came of a storm → a line of the crash table, and what the broken promises were. */
import { FAULTS } from "./platform.js";
import { type Evidence, isKept, type Verdict } from "./verdict.js";

export interface Outcome {
  rounds: number;
  evidence: Evidence;
  verdict: Verdict;
}

const MOST_LINES = 20;

function cellsOf({ rounds, evidence, verdict }: Outcome): Record<string, string | number> {
  return {
    platform: evidence.platform,
    rounds,
    messages: evidence.said.length,
    kills: evidence.deathsAtMs.length,
    ...Object.fromEntries(FAULTS.map((kind) => [kind, evidence.faults[kind]])),
    lost: verdict.lost.length,
    "run twice": verdict.runTwice.length,
    "out of order": verdict.outOfOrder.length,
    repeated: verdict.repeated.length,
    "marked repeats": verdict.markedRepeats,
    other: verdict.other.length,
    verdict: isKept(verdict) ? "kept" : "**broken**",
  };
}

export function crashTable(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map(cellsOf);
  const titles = Object.keys(lines[0] ?? {});
  const width = (title: string) => Math.max(title.length, ...lines.map((line) => String(line[title]).length));
  const row = (cell: (title: string) => string) => `| ${titles.map(cell).join(" | ")} |`;
  return [
    row((title) => title.padStart(width(title))),
    row((title) => `${"-".repeat(width(title) - 1)}:`),
    ...lines.map((line) => row((title) => String(line[title]).padStart(width(title)))),
  ].join("\n");
}

export function brokenPromises({ evidence, verdict }: Outcome): string[] {
  const { lost, runTwice, outOfOrder, repeated, other } = verdict;
  const named = { lost, "run twice": runTwice, "out of order": outOfOrder, repeated, other };
  return Object.entries(named).flatMap(([name, found]) => [
    ...found.slice(0, MOST_LINES).map((what) => `${evidence.platform}: ${name}: ${what}`),
    ...(found.length > MOST_LINES
      ? [`${evidence.platform}: ${name}: ${found.length - MOST_LINES} more`]
      : []),
  ]);
}

export function asJson({ rounds, evidence, verdict }: Outcome): object {
  const { platform, said, deathsAtMs, faults } = evidence;
  return {
    platform,
    rounds,
    messages: said.length,
    kills: deathsAtMs.length,
    faults,
    kept: isKept(verdict),
    ...verdict,
  };
}
