/** A table → lines of even columns. Pure. */
import { type Align, type Cell, type Table, textOf } from "./blocks.js";
import { cellWidth } from "./width.js";

/** The header, a rule and the rows; undefined where they are wider than that. */
export function drawTable({ header, rows, align }: Table, maxWidth: number): string[] | undefined {
  const texts = [header, ...rows].map((row) => row.map(cellText));
  const widths = header.map(() => 1);
  for (const row of texts)
    for (const [i, text] of row.entries()) widths[i] = Math.max(widths[i] ?? 1, cellWidth(text));
  if (widths.reduce((sum, width) => sum + width + 3, -3) > maxWidth) return undefined;
  const draw = (row: readonly string[]) =>
    widths
      .map((width, i) => padded(row[i] ?? "", width, align[i] ?? null))
      .join(" │ ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  return [draw(texts[0]!), rule, ...texts.slice(1).map(draw)];
}

function cellText(cell: Cell): string {
  return textOf(cell).replace(/\s+/g, " ").trim();
}

function padded(text: string, width: number, align: Align): string {
  const missing = Math.max(0, width - cellWidth(text));
  const left = align === "right" ? missing : align === "center" ? Math.floor(missing / 2) : 0;
  return " ".repeat(left) + text + " ".repeat(missing - left);
}
