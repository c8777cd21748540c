/** A soak's samples as a table for people, and what they add up to. */
import { median } from "../../bench/measure.js";
import type { Sample } from "./sample.js";

export interface Row extends Sample {
  sent: number;
  answered: number;
  /** From sending to the answer, in the web chat. */
  answerP50Ms: number;
  answerP99Ms: number;
}

const COLUMNS: readonly [string, (row: Row) => string][] = [
  ["minute", (row) => String(row.minute)],
  ["messages", (row) => String(row.sent)],
  ["answered", (row) => String(row.answered)],
  ["answer p50", (row) => ms(row.answerP50Ms)],
  ["answer p99", (row) => ms(row.answerP99Ms)],
  ["RSS", (row) => mb(row.rssMb)],
  ["descriptors", (row) => String(row.descriptors)],
  ["handles", (row) => String(row.handles)],
  ["state.db", (row) => mb(row.databaseMb)],
  ["WAL", (row) => mb(row.walMb)],
  ["loop p99", (row) => ms(row.loopP99Ms)],
  ["loop max", (row) => ms(row.loopMaxMs)],
];

export const headings = (): string => COLUMNS.map(([name]) => name).join("  ");

/** Under the headings. */
export function line(row: Row): string {
  return COLUMNS.map(([name, show]) => show(row).padStart(name.length)).join("  ");
}

export function page(rows: readonly Row[], about: string, verdict: string): string {
  const cells = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;
  return [
    "# Soak",
    "",
    `\`npm run soak\`: one gateway under steady load on three emulated platforms and the web chat. ${about}.`,
    "",
    cells(COLUMNS.map(([name]) => name)),
    cells(COLUMNS.map(() => "---:")),
    ...rows.map((row) => cells(COLUMNS.map(([, show]) => show(row)))),
    "",
    verdict,
    "",
  ].join("\n");
}

/** The first fifth is warming up: what comes after it is compared with the end. */
export function growth(rows: readonly Row[], pick: (row: Row) => number): { early: number; late: number } {
  const fifth = Math.max(1, Math.floor(rows.length / 5));
  return {
    early: median(rows.slice(fifth, 2 * fifth).map(pick)),
    late: median(rows.slice(-fifth).map(pick)),
  };
}

const ms = (value: number) => (Number.isNaN(value) ? "-" : `${value.toFixed(value < 10 ? 1 : 0)} ms`);
const mb = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} MB`;
