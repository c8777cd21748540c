/** Some servers echo the rejected request. Cuts an error message where it starts to repeat our prompt. Pure. */

const WORDS = new Set(["content", "text", "system", "instructions", "input", "prompt", "arguments", "url"]);
/** Shorter texts occur by chance. */
const MIN_LETTERS = 6;
const COMPARED_LETTERS = 12;
/** Error bodies can be megabytes. */
const MAX_CHARS = 2000;

/** The text up to `max` characters, cut where it repeats the request. */
export function beforeOwnWords(whole: string, request: unknown): string {
  const text = whole.slice(0, MAX_CHARS);
  const { letters, places } = lettersOf(text);
  const found = saidIn(request)
    .map((said) => lettersOf(said.slice(0, 10 * COMPARED_LETTERS)).letters.slice(0, COMPARED_LETTERS))
    .filter(({ length }) => length >= MIN_LETTERS)
    .map((start) => letters.indexOf(start))
    .filter((index) => index !== -1);
  return found.length === 0 ? text : `${text.slice(0, places[Math.min(...found)])}…`;
}

/** All text of the request: system prompt, messages and tool results. */
function saidIn(value: unknown, name = ""): string[] {
  if (typeof value === "string") return WORDS.has(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => saidIn(item, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => saidIn(inner, key));
}

/** Consumes a run of backslashes at once, so that the match stays linear. */
const LETTER = /\\+(?:u([0-9a-f]{4})|[bfnrt])?|[\p{L}\p{N}]/giu;

/** Keeps letters and digits only: quotes, escapes and spaces differ between JSON, nested JSON and Python. */
function lettersOf(text: string): { letters: string; places: number[] } {
  let letters = "";
  const places: number[] = [];
  for (const { 0: match, 1: hex, index } of text.matchAll(LETTER)) {
    const letter = hex === undefined ? match : String.fromCharCode(Number.parseInt(hex, 16));
    if (!/^[\p{L}\p{N}]$/u.test(letter)) continue;
    letters += letter;
    for (let unit = 0; unit < letter.length; unit += 1) places.push(index);
  }
  return { letters, places };
}
