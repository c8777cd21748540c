/** Markdown → plain text with body ranges: Signal's styles by offset and length in UTF-16 units. Pure. */
import { CODE, type Mark, plain } from "../../text/blocks.js";
import { BULLETS, boldHeading, byUtf16, type Dialect, markedQuote, RULE } from "../../text/dialect.js";
import type { Line } from "../../text/layout.js";
import { renderMarkdown } from "../../text/parts.js";

export const LIMIT = 8000;
/** Each part of a multi-part answer has room for a note. */
const NOTE_ROOM = 40;

export interface Part {
  text: string;
  /** `start:length:STYLE`. */
  styles: string[];
}

interface Range {
  start: number;
  length: number;
  style: string;
}

const STYLES: Partial<Record<Mark["kind"], string>> = {
  bold: "BOLD",
  italic: "ITALIC",
  strike: "STRIKETHROUGH",
  code: "MONOSPACE",
};

export function render(markdown: string): Part[] {
  return renderMarkdown(markdown, SIGNAL, { limit: LIMIT, spare: NOTE_ROOM }).map(({ text, lines }) => ({
    text,
    styles: rangesOf(lines).map(({ start, length, style }) => `${start}:${length}:${style}`),
  }));
}

/** A line of our own above the part: its styles move along. */
export function withNote<P extends Part>(part: P, note: string): P {
  const by = note.length + 1;
  const styles = part.styles.map((range) => {
    const at = range.indexOf(":");
    return `${Number(range.slice(0, at)) + by}${range.slice(at)}`;
  });
  return { ...part, text: `${note}\n${part.text}`, styles };
}

const SIGNAL: Dialect = {
  cost: byUtf16,
  escape: (text) => text,
  open: () => "",
  close: () => "",
  canLink: () => false,
  heading: boldHeading,
  quote: { frame: markedQuote, nests: true },
  code: { frame: () => ({ kind: "code", open: "", close: "", prefix: "" }), within: "all", mark: CODE },
  list: { bullets: BULLETS },
  table: { maxWidth: 38, inCode: true },
  rule: RULE,
};

/** Neighbours of one style are one range. */
function rangesOf(lines: readonly Line[]): Range[] {
  const ranges: Range[] = [];
  let at = 0;
  for (const { prefixes, spans } of lines) {
    for (const prefix of prefixes) at += prefix.length;
    for (const { text, marks } of spans.length > 0 ? spans : [plain("")]) {
      for (const { kind } of text === "" ? [] : marks) add(ranges, at, text.length, STYLES[kind]);
      at += text.length;
    }
    at += 1;
  }
  return ranges;
}

function add(ranges: Range[], start: number, length: number, style: string | undefined): void {
  if (style === undefined) return;
  const last = ranges.findLast((range) => range.style === style);
  if (last && last.start + last.length === start) last.length += length;
  else ranges.push({ start, length, style });
}
