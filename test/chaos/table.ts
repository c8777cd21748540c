/** What came of a storm → a line of the crash table, and what the broken promises were. */
import { FAULTS } from "./platform.js";
import { type Evidence, isKept, type Verdict } from "./verdict.js";

export interface Outcome {
  seed: number;
  rounds: number;
  evidence: Evidence;
  verdict: Verdict;
}

const MAX_LINES = 20;

export type Line = Record<string, string | number>;

export function cellsOf({ seed, rounds, evidence, verdict }: Outcome): Line {
  return {
    platform: evidence.platform,
    seed,
    rounds,
    messages: evidence.said.length,
    kills: evidence.deathsAtMs.length,
    ...Object.fromEntries(FAULTS.map((kind) => [kind, evidence.faults[kind]])),
    lost: verdict.lost.length,
    "documented losses": verdict.documentedLosses,
    "run twice": verdict.runTwice.length,
    "out of order": verdict.outOfOrder.length,
    repeated: verdict.repeated.length,
    "marked repeats": verdict.markedRepeats,
    other: verdict.other.length,
    verdict: isKept(verdict) ? "kept" : "**broken**",
  };
}

export function crashTable(outcomes: readonly Outcome[]): string {
  return tableOf(outcomes.map(cellsOf));
}

/** The lines of a page that was written before, of platforms that have no new ones. */
export function otherLines(page: string, lines: readonly Line[]): Line[] {
  const rows = page.split("\n").filter((line) => line.startsWith("|"));
  const [titles = [], , ...found] = rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const known = found.map(
    (cells): Line => Object.fromEntries(titles.map((title, i) => [title, cells[i] ?? ""])),
  );
  return known.filter((line) => lines.every(({ platform }) => platform !== line.platform));
}

export function tableOf(lines: readonly Line[]): string {
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
  return namedLines(evidence.platform, named);
}

export function namedLines(platform: string, named: Record<string, readonly string[]>): string[] {
  return Object.entries(named).flatMap(([name, found]) => [
    ...found.slice(0, MAX_LINES).map((what) => `${platform}: ${name}: ${what}`),
    ...(found.length > MAX_LINES ? [`${platform}: ${name}: ${found.length - MAX_LINES} more`] : []),
  ]);
}

/** For `bench/results-chaos.md`. */
export function page(lines: readonly Line[], machine: string): string {
  return `# The crash table

People write in direct chats, groups and threads of an emulated platform; some answers are long, some are shown while
they are written. Meanwhile the real daemon is killed with \`SIGKILL\` again and again (*kills*), and the platform has
the faults of the next columns, each as often as it was met. Then it is calm, and what the people see is counted:

- *lost*: a stretch of an answer that is to be seen nowhere
- *documented losses*: messages that the service itself drops, as its page in \`docs/platforms\` says
- *run twice*: a question in two finished turns
- *out of order*: an answer before the answer to an earlier message of its conversation
- *repeated*: an answer, or an unfinished one left behind, that is to be seen twice
- *marked repeats*: the same on a platform that promises no more, after a send whose outcome is
  unknown, and with words that say so
- *other*: answers in the wrong place, words that answer nothing, rows left open, a daemon that fell over

${tableOf(lines)}

${machine}. Repeat a line with \`npm run chaos -- --platform NAME --rounds N --seed S --write\`.
`;
}

export function asJson({ seed, rounds, evidence, verdict }: Outcome): object {
  const { platform, said, deathsAtMs, faults } = evidence;
  return {
    platform,
    seed,
    rounds,
    messages: said.length,
    kills: deathsAtMs.length,
    faults,
    kept: isKept(verdict),
    ...verdict,
  };
}
