import { stripVTControlCharacters } from "node:util";

const ASCII = /^[\x20-\x7e]*$/;
/** Flags, keycaps, emoji by default, and characters that U+FE0F turns into one. */
const EMOJI =
  /^(?:\p{Regional_Indicator}{2}|\p{Emoji}\uFE0F|\p{Emoji_Presentation}|\p{Emoji}\p{Emoji_Modifier})/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11FF\u2028\u2029]/u;
/** Emoji, East Asian Wide and Fullwidth. */
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\u4DFF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** How many cells of a terminal the text takes. */
export function cellWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const char of grapheme) width += NO_WIDTH.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

/** The longest beginning that fits; never half a character. */
export function cutToCells(text: string, cells: number): string {
  if (ASCII.test(text)) return text.slice(0, cells);
  let width = 0;
  let end = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > cells) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** The same with a sign that something is missing. */
export function shorten(text: string, cells: number): string {
  return cellWidth(text) <= cells ? text : `${cutToCells(text, cells - 1)}…`;
}

export function padToCells(text: string, cells: number): string {
  return text + " ".repeat(Math.max(0, cells - cellWidth(text)));
}

/** Stored text comes from strangers: without escape sequences and direction marks it can't redraw the terminal. */
export function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");
}

export function oneLine(text: string): string {
  return plain(text).replace(/\s+/gu, " ").trim();
}
