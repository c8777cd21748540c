import { cellWidth, piecesOfCells } from "../cells.js";

/** A piece of text in one style. */
export interface Span {
  text: string;
  style(text: string): string;
}

export const unstyled = (text: string): string => text;

interface Word {
  spans: Span[];
  cells: number;
}

/** Styled text → lines that fit, broken between words, within a word only where it is longer than a line. */
export function wrapSpans(spans: readonly Span[], width: number): string[] {
  return splitLines(spans).flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function splitLines(spans: readonly Span[]): Span[][] {
  const lines: Span[][] = [[]];
  for (const { text, style } of spans) {
    for (const [i, part] of text.split("\n").entries()) {
      if (i > 0) lines.push([]);
      if (part !== "") lines.at(-1)!.push({ text: part, style });
    }
  }
  return lines;
}

function wrapLine(spans: readonly Span[], width: number): string[] {
  const lines: string[] = [];
  let line: Span[] = [];
  let cells = 0;
  const end = () => {
    lines.push(draw(line));
    line = [];
    cells = 0;
  };
  for (const word of wordsOf(spans)) {
    const isSpace = word.spans.every(({ text }) => text.trim() === "");
    if (cells + word.cells > width && cells > 0) {
      end();
      if (isSpace) continue;
    }
    for (const piece of word.cells > width ? pieces(word, width) : [word]) {
      if (cells > 0 && cells + piece.cells > width) end();
      line.push(...piece.spans);
      cells += piece.cells;
    }
  }
  end();
  return lines;
}

/** Words and the spaces between them; a word may change its style on the way. */
function wordsOf(spans: readonly Span[]): Word[] {
  const words: Word[] = [];
  let open: "word" | "space" | undefined;
  for (const { text, style } of spans) {
    for (const part of text.match(/[^\S\u00a0]+|[\S\u00a0]+/gu) ?? []) {
      const kind = /^[^\S\u00a0]/u.test(part) ? "space" : "word";
      if (kind !== open) words.push({ spans: [], cells: 0 });
      open = kind;
      const word = words.at(-1)!;
      word.spans.push({ text: part, style });
      word.cells += cellWidth(part);
    }
  }
  return words;
}

function pieces({ spans }: Word, width: number): Word[] {
  return spans.flatMap(({ text, style }) =>
    piecesOfCells(text, width).map((part) => ({ spans: [{ text: part, style }], cells: cellWidth(part) })),
  );
}

function draw(spans: readonly Span[]): string {
  return spans
    .map(({ text, style }) => style(text))
    .join("")
    .trimEnd();
}
