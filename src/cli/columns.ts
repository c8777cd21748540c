import { cutToCells, oneLine, padToCells } from "./cells.js";

/** A column of a listing: cells longer than `cut` lose their end, the last column is never padded. */
export interface Column {
  header: string;
  width: number;
  cut?: number;
}

/** Header, a rule, one line per row. */
export function drawColumns(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  rule: number,
): string {
  const header = drawRow(
    columns,
    columns.map((column) => column.header),
  );
  return [header, "─".repeat(rule), ...rows.map((row) => drawRow(columns, row))].join("\n");
}

function drawRow(columns: readonly Column[], row: readonly string[]): string {
  const cells = columns.map(({ width, cut }, index) => {
    const text = oneLine(row[index] ?? "");
    return padToCells(cut === undefined ? text : cutToCells(text, cut), width);
  });
  return cells.join(" ").trimEnd();
}
