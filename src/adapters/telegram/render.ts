/** Markdown → parts in Telegram's HTML, each within the limit. Pure. */
import { tokensOf } from "../markdown.js";
import { isWild } from "../wild-markdown.js";
import { writeBlocks } from "./blocks.js";
import { cutRuns, type Run, toHtml, toText } from "./runs.js";
import { cutIntoParts, splitRuns } from "./split.js";
import { Writer } from "./writer.js";

/** Telegram counts without tags; with them is a bound that holds however it is counted. */
export const LIMIT = 4096;

/** Where an answer has several parts, any of them may get a note without becoming two. */
const NOTE_ROOM = 96;

export interface Part {
  html: string;
  /** The same without markup, for a server that can't parse the above. */
  text: string;
  runs: readonly Run[];
}

export function render(markdown: string, limit = LIMIT): Part[] {
  const runs = trimmed(runsOf(cleaned(markdown)));
  const spare = limit === LIMIT ? NOTE_ROOM : 0;
  return runs.length === 0 ? [] : splitRuns(runs, limit, spare).map(partOf);
}

/** A part with a line before it: one more part where both don't fit. */
export function withNote(part: Part, note: readonly Run[], limit = LIMIT): Part[] {
  return cutIntoParts([...note, { text: "\n", tags: [] }, ...part.runs], limit).map(partOf);
}

export function partOf(runs: readonly Run[]): Part {
  return { html: toHtml(runs), text: toText(runs), runs };
}

function runsOf(markdown: string): Run[] {
  const asIs = [{ text: markdown, tags: [] }];
  if (isWild(markdown)) return asIs;
  try {
    const writer = new Writer();
    writeBlocks(writer, tokensOf(markdown), []);
    // Nothing but link definitions, say: better the source than nothing.
    return toText(writer.runs).trim() === "" ? asIs : writer.runs;
  } catch {
    // Nested deeper than the stack: still words.
    return asIs;
  }
}

/** Telegram cuts blanks off at both ends; an empty text is no message. Code keeps its first line's indentation. */
function trimmed(runs: readonly Run[]): Run[] {
  const text = toText(runs);
  if (text.trim() === "") return [];
  const inCode = runs[0]!.tags.some(({ kind }) => kind === "pre");
  const start = inCode ? 0 : text.length - text.trimStart().length;
  const [, rest] = cutRuns(runs, start);
  return cutRuns(rest, text.trimEnd().length - start)[0];
}

/** Without what JSON or Telegram would refuse: control characters and halves of surrogate pairs. */
function cleaned(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
