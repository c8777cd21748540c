import { stripVTControlCharacters } from "node:util";
import { graphemes } from "../graphemes.js";

const ASCII = /^[\x20-\x7e]*$/;
/** Flags, keycaps, emoji by default, and characters that U+FE0F turns into one. */
const EMOJI =
  /^(?:\p{Regional_Indicator}{2}|\p{Emoji}\uFE0F|\p{Emoji_Presentation}|\p{Emoji}\p{Emoji_Modifier})/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11FF\u2028\u2029]/u;
/** Emoji, East Asian Wide and Fullwidth. */
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\u4DFF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]/u;

/** A segmenter's steps get slower with the length of its text. Only the longest emoji sequences come near this. */
const WINDOW_CHARS = 256;

/** The characters as a reader counts them. What a window ends in is read again with what follows it. */
function* graphemesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const window = text.slice(at, at + WINDOW_CHARS);
    const segments = Array.from(graphemes(window), ({ segment }) => segment);
    if (at + window.length < text.length && segments.length > 1) segments.pop();
    for (const segment of segments) {
      yield segment;
      at += segment.length;
    }
  }
}

/** How many cells of a terminal the text takes. */
export function cellWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
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
  for (const grapheme of graphemesOf(text)) {
    width += graphemeWidth(grapheme);
    if (width > cells) break;
    end += grapheme.length;
  }
  return text.slice(0, end);
}

/** All of it, in pieces that fit. At least one character each: a wide one is wider than the narrowest line. */
export function piecesOfCells(text: string, cells: number): string[] {
  if (ASCII.test(text))
    return Array.from({ length: Math.ceil(text.length / cells) }, (_, i) =>
      text.slice(i * cells, (i + 1) * cells),
    );
  const pieces: string[] = [];
  let width = 0;
  for (const grapheme of graphemesOf(text)) {
    const more = graphemeWidth(grapheme);
    width += more;
    if (pieces.length > 0 && width <= cells) pieces[pieces.length - 1] += grapheme;
    else {
      pieces.push(grapheme);
      width = more;
    }
  }
  return pieces;
}

/** The longest beginning that fits, with a sign that something is missing. */
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
