/** Servers like to repeat a request that they refuse. What goes into logs ends where our own words begin. Pure. */

const WORDS = new Set(["content", "text", "system", "instructions", "input", "prompt", "arguments", "url"]);
/** Shorter ones are in too many sentences. */
const LEAST_LETTERS = 6;
const COMPARED_LETTERS = 12;
/** A server's answer may be megabytes; a log line isn't. */
const MAX_CHARS = 2000;

/** At most so much of the text, up to where it repeats the request. */
export function beforeOwnWords(whole: string, request: unknown): string {
  const text = whole.slice(0, MAX_CHARS);
  const { letters, places } = lettersOf(text);
  const found = saidIn(request)
    .map((said) => lettersOf(said.slice(0, 10 * COMPARED_LETTERS)).letters.slice(0, COMPARED_LETTERS))
    .filter(({ length }) => length >= LEAST_LETTERS)
    .map((start) => letters.indexOf(start))
    .filter((index) => index !== -1);
  return found.length === 0 ? text : `${text.slice(0, places[Math.min(...found)])}…`;
}

/** What people and the agent said, and what it is told about them. */
function saidIn(value: unknown, name = ""): string[] {
  if (typeof value === "string") return WORDS.has(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => saidIn(item, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => saidIn(inner, key));
}

/** A row of backslashes is taken whole, whatever follows it: it must not be looked at again from each of them. */
const LETTER = /\\+(?:u([0-9a-f]{4})|[bfnrt])?|[\p{L}\p{N}]/giu;

/** Quotes, escapes and spaces are other ones in JSON, in JSON within JSON, and in Python: letters and digits stay. */
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
