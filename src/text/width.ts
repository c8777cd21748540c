/** How many columns a text takes in a terminal or another fixed-width font. Pure. */
import { eastAsianWidth } from "get-east-asian-width";
import { graphemesOf } from "./graphemes.js";

const ASCII = /^[\x20-\x7e]*$/;
/** Flags, keycaps, emoji by default, and characters that U+FE0F turns into one. */
const EMOJI =
  /^(?:\p{Regional_Indicator}{2}|\p{Emoji}\uFE0F|\p{Emoji_Presentation}|\p{Emoji}\p{Emoji_Modifier})/u;
const CJK = /^[\u4e00-\u9fff\u3041-\u3096\u30a1-\u30fa\uac00-\ud7a3]$/;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11FF\u2028\u2029]/u;

export function cellWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (CJK.test(grapheme)) return 2;
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const char of grapheme) width += NO_WIDTH.test(char) ? 0 : eastAsianWidth(char.codePointAt(0)!);
  return width;
}

/** The longest beginning that fits. */
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

export function padToCells(text: string, cells: number): string {
  return text + " ".repeat(Math.max(0, cells - cellWidth(text)));
}
