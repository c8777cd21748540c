/** A text as it looks in a cell of a Markdown table: code stays code, everything else is plain. */
export function cellText(text: string): string {
  return codeText(text.replace(/\s+/g, " "))
    .split("`")
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("*", "\\*")))
    .join("`");
}

/** For code in a cell. */
export function codeText(text: string): string {
  return text.replaceAll("|", "\\|");
}
