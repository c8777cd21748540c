import { HermesError } from "./errors.js";

export const TITLE_MAX_CHARS = 100;

/** Control characters that are not white space, then zero-width, directional and annotation marks. */
const REMOVED =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFC\uFFF9-\uFFFB]/gu;
/** Python's Unicode `\s`, used by other Hermes processes; JavaScript's lacks U+0085. */
const WHITE_SPACE = /[\t\n\r \u0085\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]+/gu;
const NUMBERED = /^(.*?) #(\d+)$/su;

/** The title to store, or null if nothing is left. */
export function sanitizeTitle(raw: string | null | undefined): string | null {
  if (!raw) return null;
  const title = raw.replace(REMOVED, "").replace(WHITE_SPACE, " ").trim();
  if (title === "") return null;
  const chars = Array.from(title).length;
  if (chars > TITLE_MAX_CHARS) {
    throw new HermesError("invalid", `Title too long (${chars} chars, max ${TITLE_MAX_CHARS})`);
  }
  return title;
}

/** "my project #3" → "my project": the lineage's common name. */
export function lineageBase(title: string): string {
  return NUMBERED.exec(title)?.[1] ?? title;
}

/** The next title of a lineage. `taken`: all titles that equal the base or start with `<base> #`. */
export function nextInLineage(base: string, taken: readonly string[]): string {
  if (taken.length === 0) return base;
  const highest = taken.reduce((max, title) => {
    const number = / #(\d+)$/u.exec(title)?.[1];
    return Math.max(max, number === undefined ? 1 : Number(number));
  }, 1);
  return `${base} #${highest + 1}`;
}

/** The same within the length limit: shortens the base, never the number. */
export function nextTitleThatFits(base: string, taken: readonly string[]): string {
  const next = nextInLineage(base, taken);
  const chars = Array.from(next);
  if (chars.length <= TITLE_MAX_CHARS) return next;
  const suffix = next.slice(base.length);
  const room = TITLE_MAX_CHARS - suffix.length;
  return `${Array.from(base).slice(0, room).join("").trimEnd()}${suffix}`;
}
