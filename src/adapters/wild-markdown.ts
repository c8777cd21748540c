/**
 * Is a text no Markdown, whatever it looks like? A parser holds each mark of a paragraph against all of its others: where
 * one is full of them that takes minutes, and nobody has meant it. Pure.
 */
const MOST_MARKS = 2000;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MARKS = /[*_\\]/g;

export function isWild(markdown: string): boolean {
  if (marksIn(markdown) <= MOST_MARKS) return false;
  let fence: string | undefined;
  let marks = 0;
  for (const line of markdown.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    const isCode = fence !== undefined || mark !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    marks = isCode || line.trim() === "" ? 0 : marks + marksIn(line);
    if (marks > MOST_MARKS) return true;
  }
  return false;
}

function marksIn(text: string): number {
  return (text.match(MARKS) ?? []).length;
}
