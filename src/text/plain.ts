/** Plain text: Markdown drawn with characters alone, and Markdown source split as it is. Pure. */
import { HermesError } from "../errors.js";
import { plain, type Span } from "./blocks.js";
import {
  BULLETS,
  boldHeading,
  byUtf16,
  type Dialect,
  type Frame,
  fence,
  markedQuote,
  RULE,
} from "./dialect.js";
import type { Line } from "./layout.js";
import { renderMarkdown, splitIntoParts } from "./parts.js";

export interface SplitOptions {
  limit: number;
  /** What the platform counts. */
  unit: "codepoint" | "utf16";
  /** "(i/n)" at the end of each part; true unless set. */
  marker?: boolean;
}

const COSTS = { utf16: byUtf16, codepoint: (written: string) => Array.from(written).length };

function plainDialect(unit: SplitOptions["unit"]): Dialect {
  return {
    cost: COSTS[unit],
    escape: (text) => text,
    open: () => "",
    close: () => "",
    canLink: () => false,
    heading: boldHeading,
    quote: { frame: markedQuote, nests: true },
    code: { frame: () => ({ kind: "code", open: "", close: "", prefix: "    " }), within: "all" },
    list: { bullets: BULLETS },
    table: { maxWidth: 60, inCode: false },
    rule: RULE,
  };
}

/** Markdown for a platform without any markup, in parts within the limit. */
export function plainParts(markdown: string, { unit, ...options }: SplitOptions): string[] {
  checkLimit(options.limit);
  return renderMarkdown(markdown, plainDialect(unit), options).map(({ text }) => text);
}

// ── source ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const FENCE = "```";
/** Kept free in each part to close a fence, as Hermes Agent does. */
const FENCE_ROOM = `\n${FENCE}`.length;
/** Below this limit fences and markers would leave no room for text. */
const MIN_LIMIT = 22;

/** Markdown source → parts. A fence that a cut goes through is closed and opened again. */
export function splitText(text: string, { limit, unit, marker }: SplitOptions): string[] {
  checkLimit(limit);
  if (COSTS[unit](text) <= limit) return [text];
  const isTiny = limit < MIN_LIMIT;
  const dialect: Dialect = { ...plainDialect(unit), marksBehindCode: true };
  const source = isTiny ? text.split("\n").map(textLine) : sourceLines(text, limit / 4);
  const options = isTiny ? { limit, marker: false } : { limit, marker, spare: FENCE_ROOM };
  return splitIntoParts(source, dialect, options).map((part) => part.text);
}

function checkLimit(limit: number): void {
  if (!(limit >= 1)) throw new HermesError("invalid", `A text limit must be at least 1, not ${limit}`);
}

/** Lines with the fences around them. The last line of a fence is written when its frame closes. */
function sourceLines(text: string, maxLanguage: number): Line[] {
  const lines: Line[] = [];
  let frame: Frame | undefined;
  for (const line of text.split("\n")) {
    const isFence = line.trimStart().startsWith(FENCE);
    if (frame && isFence) {
      frame.close = `\n${line}`;
      frame = undefined;
    } else if (frame) lines.push({ ...textLine(line), frames: [frame], prefixes: [""] });
    else if (isFence) {
      frame = fence(languageOf(line, maxLanguage));
      lines.push({ ...textLine(line), frames: [frame], prefixes: [""], isOpening: true });
    } else lines.push(textLine(line));
  }
  return lines;
}

function languageOf(line: string, maxLength: number): string {
  const language = line.trim().slice(FENCE.length).trim().split(/\s/, 1)[0]!;
  return language.length > maxLength ? "" : language;
}

/** Inline code is cut only where it is long. */
function textLine(line: string): Line {
  const pieces = line.split(/(`[^`]*`)/).filter((piece) => piece !== "");
  const spans = pieces.map(
    (text): Span => (text.startsWith("`") ? { text, marks: [], solid: true } : plain(text)),
  );
  return { frames: [], prefixes: [], spans };
}
