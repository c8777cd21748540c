/** A table → lines of even columns, for a block of code. */
import type { Token, Tokens } from "marked";

export function tableLines(table: Tokens.Table, plain: (tokens: readonly Token[]) => string): string[] {
  const rows = [table.header, ...table.rows].map((row) =>
    row.map((cell) => plain(cell.tokens).replace(/\s+/g, " ").trim()),
  );
  const widths = table.header.map((_, i) => Math.max(1, ...rows.map((row) => width(row[i] ?? ""))));
  const line = (row: readonly string[]) =>
    widths
      .map((size, i) => padded(row[i] ?? "", size, table.align[i] === "right"))
      .join(" | ")
      .trimEnd();
  const rule = widths.map((size) => "-".repeat(size)).join("-+-");
  const [header, ...body] = rows;
  return [line(header ?? []), rule, ...body.map(line)];
}

function padded(cell: string, size: number, right: boolean): string {
  const fill = " ".repeat(Math.max(0, size - width(cell)));
  return right ? fill + cell : cell + fill;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u;

/** Chinese, Japanese, Korean and emoji take two columns. */
function width(text: string): number {
  return Array.from(text).reduce((sum, char) => sum + (WIDE.test(char) ? 2 : 1), 0);
}
