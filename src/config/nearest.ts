/** The nearest known word to a mistyped one. */

export function didYouMean(
  word: string,
  known: Iterable<string>,
  options: { generous?: boolean; quote?: string } = {},
): string {
  const near = nearest(word, known, options.generous ? Math.ceil(word.length / 2) : slack(word));
  const quote = options.quote ?? '"';
  return near === undefined ? "" : ` (did you mean ${quote}${near}${quote}?)`;
}

/** The known word with the fewest edits, if that is at most `limit`; the first one wins a tie. */
export function nearest(word: string, known: Iterable<string>, limit = slack(word)): string | undefined {
  let best: string | undefined;
  let fewest = limit + 1;
  const typed = word.toLowerCase().slice(0, 100);
  for (const candidate of known) {
    const count = edits(typed, candidate.toLowerCase());
    if (count < fewest) [best, fewest] = [candidate, count];
  }
  return best;
}

/** Short words are similar to many, so they may differ less. */
function slack(word: string): number {
  return word.length <= 4 ? 1 : word.length <= 7 ? 2 : 3;
}

/** Levenshtein distance, one row at a time; two swapped neighbours ("prot") count as one edit. */
function edits(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : replaced;
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
