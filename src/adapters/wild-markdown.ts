/**
 * Is a text better shown as it is than read as Markdown? A parser holds each mark of a paragraph against all of its
 * others and reads each level of nesting again: a text that is full of either takes minutes, and nobody has meant it.
 * Pure.
 */
const MAX_MARKS = 2000;
/** Quotes in lists in quotes. */
const MAX_DEPTH = 50;
/** More than twenty messages on most platforms. Nobody waits for the parser of all the others' answers. */
const MAX_MARKDOWN_CHARS = 100_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MARKS = /[*_\\]/g;

export function isWild(markdown: string): boolean {
  if (markdown.length > MAX_MARKDOWN_CHARS) return true;
  const lines = markdown.split("\n");
  return lines.some((line) => depthOf(line) > MAX_DEPTH) || hasWildParagraph(markdown, lines);
}

function hasWildParagraph(markdown: string, lines: readonly string[]): boolean {
  if (marksIn(markdown) <= MAX_MARKS) return false;
  let fence: string | undefined;
  let marks = 0;
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1];
    const isCode = fence !== undefined || mark !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    marks = isCode || line.trim() === "" ? 0 : marks + marksIn(line);
    if (marks > MAX_MARKS) return true;
  }
  return false;
}

function marksIn(text: string): number {
  return (text.match(MARKS) ?? []).length;
}

const CONTAINER = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;
const INDENT_PER_LEVEL = 2;

/** How many quotes and lists a line may be in: by the signs before its text, or by its indentation before the first of them. */
function depthOf(line: string): number {
  CONTAINER.lastIndex = 0;
  let depth = 0;
  let indent = 0;
  while (depth <= MAX_DEPTH) {
    const sign = CONTAINER.exec(line)?.[0];
    if (sign === undefined) break;
    depth += 1;
    indent = Math.max(indent, sign.length);
  }
  return depth === 0 ? 0 : Math.max(depth, Math.floor(indent / INDENT_PER_LEVEL));
}
