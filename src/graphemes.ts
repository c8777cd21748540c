let segmenter: Intl.Segmenter | undefined;

/** What people take for characters, emoji with joiners included. Made when first needed: its tables take megabytes. */
export function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}
