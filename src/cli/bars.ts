import { padToCells } from "./cells.js";
import { grouped } from "./numbers.js";

/** A bar for `value` where `max` fills the width; what happened at all gets at least one block. */
export function bar(value: number, max: number, width: number): string {
  if (value <= 0 || max <= 0) return "";
  return "█".repeat(Math.min(width, Math.max(1, Math.round((value / max) * width))));
}

export interface BarRow {
  label: string;
  value: number;
}

/** One line per row: label, bar, number. */
export function drawBars(rows: readonly BarRow[], width = 30): string[] {
  const max = Math.max(0, ...rows.map((row) => row.value));
  const labelWidth = Math.max(0, ...rows.map((row) => row.label.length));
  return rows.map(({ label, value }) =>
    `${padToCells(label, labelWidth)}  ${padToCells(bar(value, max, width), width)} ${grouped(value)}`.trimEnd(),
  );
}
