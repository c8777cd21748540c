const OPEN = ">>>";
const CLOSE = "<<<";
const ELLIPSIS = "...";
const CHARS_BEFORE = 40;
const CHARS = 120;

/** The text around the first matching term, with every match marked. FTS5's snippet() does this for indexed searches. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const wanted = terms.filter((term) => term !== "");
  if (wanted.length === 0) return text.slice(0, CHARS);
  const pattern = anyOf(wanted);
  const first = text.search(pattern);
  const from = charStart(text, Math.max(0, first - CHARS_BEFORE));
  const to = charStart(text, Math.min(text.length, from + CHARS));
  const part = text.slice(from, to).replace(pattern, (match) => OPEN + match + CLOSE);
  return (from > 0 ? ELLIPSIS : "") + part + (to < text.length ? ELLIPSIS : "");
}

/** Any of the terms, in any case. Without quantifiers it can't backtrack. */
export function anyOf(terms: readonly string[]): RegExp {
  return new RegExp(terms.map(escapeRegExp).join("|"), "giu");
}

/** Never between the halves of a surrogate pair. */
function charStart(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
