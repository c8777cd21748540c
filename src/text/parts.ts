/** Markdown → messages of one platform, each complete in itself. Pure and deterministic. */
import type { Dialect } from "./dialect.js";
import { isCode, type Line, layOut } from "./layout.js";
import { asIs, parseMarkdown } from "./markdown.js";
import { isBlank, splitLines } from "./split.js";
import { write } from "./write.js";

export interface PartOptions {
  limit: number;
  /** Where the first part has less room. */
  firstLimit?: number | undefined;
  /** "(2/5)" behind each of several parts; true unless set. */
  marker?: boolean | undefined;
  /** Kept free in each of several parts. */
  spare?: number | undefined;
}

export interface Part {
  /** In the platform's markup. */
  text: string;
  /** " (2/5)"; part of the text. */
  marker: string;
  lines: readonly Line[];
}

export function renderMarkdown(markdown: string, dialect: Dialect, options: PartOptions): Part[] {
  const lines = layOut(parseMarkdown(markdown), dialect, options.limit);
  // A text of link definitions alone: its source is better than silence.
  const shown = lines.every(isBlank) ? layOut(asIs(markdown), dialect, options.limit) : lines;
  return splitIntoParts(trimmed(shown), dialect, options);
}

/** Room for " (99/99)" and a little more. */
const MARKER_ROOM = 10;

export function splitIntoParts(lines: readonly Line[], dialect: Dialect, options: PartOptions): Part[] {
  const { limit, firstLimit = limit, marker = true, spare = 0 } = options;
  if (lines.length === 0) return [];
  const text = write(lines, dialect);
  if (dialect.cost(text) <= firstLimit) return [{ text, marker: "", lines }];
  for (let room = marker ? MARKER_ROOM : 0; ; room++) {
    const parts = splitLines(lines, dialect, (i) => (i === 0 ? firstLimit : limit) - spare - room);
    if (marker && ` (${parts.length}/${parts.length})`.length > room) continue;
    const isNumbered = marker && parts.length > 1;
    return parts.map((part, i) => {
      const end = isNumbered ? `${separator(part, dialect)}(${i + 1}/${parts.length})` : "";
      return { text: write(part, dialect) + end, marker: end, lines: part };
    });
  }
}

/** Behind a block of code a marker gets its own line: in its last line it could belong to it. */
function separator(part: readonly Line[], dialect: Dialect): string {
  return isCode(part.at(-1)!) && !dialect.marksBehindCode ? "\n" : " ";
}

function trimmed(lines: readonly Line[]): readonly Line[] {
  const first = lines.findIndex((line) => !isBlank(line));
  const last = lines.findLastIndex((line) => !isBlank(line));
  return first < 0 ? [] : lines.slice(first, last + 1);
}
