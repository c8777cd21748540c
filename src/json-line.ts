/** JSON on one line. Escapes U+2028 and U+2029, which some readers treat as line breaks. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (mark) =>
    mark === "\u2028" ? "\\u2028" : "\\u2029",
  );
}
