/** Characters as a reader counts them: an emoji with its skin tone is one. The only user of Intl.Segmenter. Pure. */

let segmenter: Intl.Segmenter | undefined;

/** Created on first use: its tables take megabytes. */
function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Stepping through a long text gets slower with its length, so texts are read in windows. Only the longest emoji come near it. */
const WINDOW_CHARS = 256;
/** One unit each, and none joins its neighbours: Latin, Chinese, Japanese, Korean. */
const SIMPLE =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\ufffd]*$/;

export function* graphemesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const window = text.slice(at, at + WINDOW_CHARS);
    const pieces = SIMPLE.test(window)
      ? window.split("")
      : Array.from(segments(window), ({ segment }) => segment);
    // The last one may continue behind the window.
    if (at + window.length < text.length && pieces.length > 1) pieces.pop();
    for (const piece of pieces) {
      yield piece;
      at += piece.length;
    }
  }
}

/** Longer clusters are cut between code points. */
const LOOKAROUND_CHARS = 64;
/** Below this no character combines with the one before it. */
const FIRST_COMBINING = 0x300;

/** The start of the character at `at`: the last place up to there where a text may be cut. */
export function graphemeStart(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length);
  if (text.charCodeAt(at - 1) < FIRST_COMBINING && text.charCodeAt(at) < FIRST_COMBINING) return at;
  const from = pointStart(text, Math.max(0, at - LOOKAROUND_CHARS));
  const cluster = segments(text.slice(from, at + LOOKAROUND_CHARS)).containing(at - from);
  const start = from + (cluster?.index ?? at - from);
  return start > from || from === 0 ? start : pointStart(text, at);
}

/** Not inside a surrogate pair. */
export function pointStart(text: string, at: number): number {
  const isInside = at > 0 && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));
  return isInside ? at - 1 : at;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
