/** Discord has no tables: narrow ones become a code block in columns, wide ones a list. Pure. */
import type { Tokens } from "marked";
import { inlineRuns } from "./inline.js";
import type { Line, Run } from "./pack.js";

/** What a phone shows without breaking a line. */
const WIDEST = 60;

export function tableLines(
  table: Tokens.Table,
  code: (text: string) => Line[],
  place: { lead: string; hang: string },
): Line[] {
  const rows = [table.header, ...table.rows].map((row) => row.map(cellText));
  const widths = table.header.map((_, column) => Math.max(1, ...rows.map((row) => width(row[column] ?? ""))));
  const total = widths.reduce((sum, each) => sum + each + 3, 0);
  if (total > WIDEST) return listOfRows(table, place);
  const [header = [], ...body] = rows.map((row) => rowText(row, widths, table.align));
  const rule = widths.map((each) => "─".repeat(each)).join("─┼─");
  return code([header, rule, ...body].join("\n"));
}

function rowText(row: readonly string[], widths: readonly number[], align: Tokens.Table["align"]): string {
  const cells = widths.map((each, i) => {
    const cell = row[i] ?? "";
    const gap = " ".repeat(Math.max(0, each - width(cell)));
    return align[i] === "right" ? gap + cell : cell + gap;
  });
  return cells.join(" │ ").trimEnd();
}

function cellText(cell: Tokens.TableCell): string {
  return inlineRuns(cell.tokens)
    .map((runs) => runs.map(({ text }) => text).join(""))
    .join(" ");
}

/** Code points: near enough for columns. */
function width(text: string): number {
  return Array.from(text).length;
}

/** "- **Name**: Ada; **Born**: 1815". */
function listOfRows(table: Tokens.Table, { lead, hang }: { lead: string; hang: string }): Line[] {
  const names = table.header.map(cellText);
  return table.rows.map((row, i) => {
    const runs = row.flatMap((cell, column): Run[] => [
      ...(column === 0 ? [] : [{ text: "; ", marks: [] }]),
      ...(names[column]
        ? [
            { text: names[column], marks: ["**"] },
            { text: ": ", marks: [] },
          ]
        : []),
      ...inlineRuns(cell.tokens).flat(),
    ]);
    return { lead: `${i === 0 ? lead : hang}- `, hang, runs };
  });
}
