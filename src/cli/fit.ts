/** How lines fit the terminal. In a pipe nothing is wrapped or cut. */
import { shorten } from "./cells.js";
import { io, type Output } from "./io.js";
import { wrapText } from "./wrap.js";

export const DEFAULT_COLUMNS = 80;
/** Narrower windows get lines that the terminal wraps. */
const MIN_CELLS = 20;
/** A provider's error may be a whole page. */
const MAX_LINES = 8;

/** Undefined in a pipe. */
export function terminalColumns(output: Output = io().stdout): number | undefined {
  return output.isTTY ? output.columns || DEFAULT_COLUMNS : undefined;
}

/** The beginning of a line that fits, after `used` cells. */
export function fitted(text: string, used = 0): string {
  return shorten(text, roomAfter(used));
}

/** One text in lines that fit, of which all but the first are indented; `used` cells of the first line are taken. */
export function hanging(text: string, indent: number, used = indent): string {
  const room = roomAfter(indent);
  if (room === Number.POSITIVE_INFINITY) return text;
  // A placeholder for the text before it, so that the first line wraps like the others.
  const before = "x".repeat(Math.max(0, used - indent - 1));
  const lines = wrapText(before === "" ? text : `${before} ${text}`, room);
  const shown = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), "…"] : lines;
  return shown
    .join(`\n${" ".repeat(indent)}`)
    .slice(before.length)
    .replace(/^ /, "");
}

/** Wraps what isn't indented: lists and examples stay as they are. */
export function fittedParagraphs(text: string): string {
  const columns = terminalColumns();
  if (columns === undefined) return text;
  const joined: string[] = [];
  for (const line of text.split("\n")) {
    const last = joined.at(-1);
    if (last !== undefined && isProse(last) && isProse(line)) joined[joined.length - 1] = `${last} ${line}`;
    else joined.push(line);
  }
  return joined.flatMap((line) => (isProse(line) ? wrapText(line, columns) : [line])).join("\n");
}

function isProse(line: string): boolean {
  return /^\S/.test(line);
}

function roomAfter(used: number): number {
  const columns = terminalColumns();
  return columns === undefined ? Number.POSITIVE_INFINITY : Math.max(MIN_CELLS, columns - used);
}
