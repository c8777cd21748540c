import { cellWidth, padToCells } from "./cells.js";
import { terminalColumns } from "./fit.js";
import { grouped } from "./numbers.js";

const PIPED_CELLS = 30;
const MIN_CELLS = 10;
const MAX_CELLS = 100;
/** The indent, the gaps and the number. */
const AROUND_CELLS = 18;

/** A bar for `value`, where `max` fills the width. Values above 0 get at least one block. */
export function bar(value: number, max: number, width: number): string {
  if (value <= 0 || max <= 0) return "";
  return "█".repeat(Math.min(width, Math.max(1, Math.round((value / max) * width))));
}

export interface BarRow {
  label: string;
  value: number;
}

/** One line per row: label, bar, number. */
export function drawBars(rows: readonly BarRow[], given?: number): string[] {
  const max = Math.max(0, ...rows.map((row) => row.value));
  const labelWidth = Math.max(0, ...rows.map((row) => cellWidth(row.label)));
  const width = given ?? barCells(labelWidth);
  return rows.map(({ label, value }) =>
    `${padToCells(label, labelWidth)}  ${padToCells(bar(value, max, width), width)} ${grouped(value)}`.trimEnd(),
  );
}

/** As wide as in a pipe, or wider where a terminal has room for the label, the bar and its number. */
function barCells(labelWidth: number): number {
  const columns = terminalColumns();
  if (columns === undefined) return PIPED_CELLS;
  return Math.max(MIN_CELLS, Math.min(MAX_CELLS, columns - labelWidth - AROUND_CELLS));
}
