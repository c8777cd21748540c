/** Lines that fit a terminal: its dialect of styles, and plain text wrapped at words. */
import { stripVTControlCharacters } from "node:util";
import pc from "picocolors";
import { CODE, type Mark, plain } from "../text/blocks.js";
import { BULLETS, boldHeading, type Dialect } from "../text/dialect.js";
import { isCode, type Line } from "../text/layout.js";
import { wrapLine } from "../text/split.js";
import { cellWidth } from "../text/width.js";
import { write } from "../text/write.js";

export interface Paper {
  width: number;
  colors: ReturnType<typeof pc.createColors>;
}

const MAX_RULE = 40;

/** Plain text in lines that fit. */
export function wrapText(text: string, width: number): string[] {
  const lines = text.split("\n").map((line): Line => ({ frames: [], prefixes: [], spans: [plain(line)] }));
  return draw(lines, ansi({ width, colors: pc.createColors(false) }), width);
}

/** Code isn't wrapped, so that it can be copied. */
export function draw(lines: readonly Line[], dialect: Dialect, width: number): string[] {
  const wrapped = lines.flatMap((line) => (isCode(line) ? [line] : wrapLine(line, dialect, width)));
  if (wrapped.length === 0) return [];
  return write(wrapped, dialect)
    .split("\n")
    .map((line) => line.trimEnd());
}

export function ansi({ colors, width }: Paper): Dialect {
  const styles: Record<Mark["kind"], readonly [string, string]> = {
    bold: around(colors.bold),
    italic: around(colors.italic),
    strike: around(colors.strikethrough),
    code: around(colors.cyan),
    link: around(colors.underline),
    label: around(colors.underline),
    dim: around(colors.dim),
  };
  return {
    cost: (written) => cellWidth(written.includes("\u001b") ? stripVTControlCharacters(written) : written),
    escape: (text) => text,
    open: ({ kind }) => styles[kind][0],
    close: ({ kind }) => styles[kind][1],
    canLink: () => false,
    heading: boldHeading,
    quote: {
      frame: () => ({ kind: "quote", open: "", close: "", prefix: `${colors.dim("│")} ` }),
      nests: true,
    },
    code: {
      frame: (language) => ({
        kind: "code",
        open: language === "" ? "" : `${colors.dim(`  ${language}`)}\n`,
        close: "",
        prefix: "  ",
      }),
      within: "all",
      mark: CODE,
    },
    list: { bullets: BULLETS, alignsNumbers: true },
    table: { maxWidth: width, inCode: false },
    rule: "─".repeat(Math.min(width, MAX_RULE)),
  };
}

/** What a style writes before and after its text. */
function around(style: (text: string) => string): [string, string] {
  const [open = "", close = ""] = style("\0").split("\0");
  return [open, close];
}
