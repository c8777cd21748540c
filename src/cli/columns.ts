/** Listings: columns that share the width of the terminal, or keep a fixed layout in a pipe. */
import { cellWidth, cutToCells, oneLine, padToCells, shorten } from "./cells.js";
import { terminalColumns } from "./fit.js";
import { type Flexible, shareWidth } from "./share-width.js";

export interface Column {
  header: string;
  /** In a pipe: its cells; the last column is never padded. */
  width: number;
  /** In a pipe: longer cells are cut. */
  cut?: number;
  /** Minimum width on a narrow terminal. Columns without it (ids, times, numbers) shrink last. */
  min?: number;
  /** It is copied from there, so it is never cut: a line that is too long is wrapped by the terminal. */
  whole?: boolean;
}

type Rows = readonly (readonly string[])[];

const GAP = "  ";

/** Header, a rule, one line per row. `rule` is its length in a pipe. */
export function drawColumns(
  columns: readonly Column[],
  rows: Rows,
  rule: number,
  terminal = terminalColumns(),
): string {
  const cells = [columns.map(({ header }) => header), ...rows].map((row) =>
    columns.map((_, index) => oneLine(row[index] ?? "")),
  );
  const [header = "", ...lines] =
    terminal === undefined
      ? cells.map((row) => fixedRow(columns, row))
      : fittedRows(columns, cells, terminal);
  const ruled =
    terminal === undefined ? rule : Math.min(terminal, Math.max(...[header, ...lines].map(cellWidth)));
  return [header, "─".repeat(ruled), ...lines].join("\n");
}

function fixedRow(columns: readonly Column[], row: readonly string[]): string {
  const cells = columns.map(({ width, cut }, index) => {
    const text = row[index]!;
    return padToCells(cut === undefined ? text : cutToCells(text, cut), width);
  });
  return cells.join(" ").trimEnd();
}

function fittedRows(columns: readonly Column[], cells: Rows, terminal: number): string[] {
  const needs = columns.map(({ min }, index): Flexible => {
    const natural = Math.max(...cells.map((row) => cellWidth(row[index]!)));
    return { natural, min: Math.min(natural, min ?? natural) };
  });
  const total = terminal - GAP.length * (columns.length - 1);
  // One very long text that stays whole leaves the other rows as they are.
  const others = needs.reduce((all, { min }, index) => all + (columns[index]!.whole ? 0 : min), 0);
  const room = Math.max(0, total - others);
  const shared = needs.map((need, index) => {
    const natural = columns[index]!.whole ? Math.min(need.natural, room) : need.natural;
    return { natural, min: Math.min(need.min, natural) };
  });
  const widths = shareWidth(shared, total);
  return cells.map((row) =>
    row
      .map((text, index) => {
        const width = widths[index]!;
        return padToCells(columns[index]!.whole ? text : shorten(text, width), width);
      })
      .join(GAP)
      .trimEnd(),
  );
}
