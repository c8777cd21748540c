/** Some readers take U+2028 and U+2029 for the end of a line; escaped, they can't. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (mark) =>
    mark === "\u2028" ? "\\u2028" : "\\u2029",
  );
}
