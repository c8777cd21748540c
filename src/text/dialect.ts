/**
 * How one platform writes styled text. This is all that a new platform brings: parsing, layout, splitting and part markers
 * are the same for all of them.
 */
import { BOLD, type Mark, type Span, withMark } from "./blocks.js";

/** Something around lines: a quote, a block of code, an item of a list. Lines in the same one share the object. */
export interface Frame {
  kind: "quote" | "code" | "item";
  /** Before its first line in a message, after its last one. */
  open: string;
  close: string;
  /** Before each of its lines. */
  prefix: string;
  /** In place of the prefix in its very first line: a bullet. */
  first?: string;
}

export interface Dialect {
  /** What a written text counts against the limit: UTF-16 units, code points, bytes, columns. */
  cost(written: string): number;
  /** The text of a span as the platform wants it. Applied to any piece of a span, so each character by itself. */
  escape(text: string, span: Span): string;
  open(mark: Mark): string;
  close(mark: Mark): string;
  /** Changes the spans of one line before they are split: styles that the platform can't combine, signs that it would misread. */
  adapt?(spans: readonly Span[]): readonly Span[];
  /** Whether these words can be a link to this address. If not, the address is spelled out behind them. */
  canLink(href: string, words: string): boolean;
  /** Bare addresses need markup too. */
  marksBareLinks?: boolean;
  heading(depth: number, spans: readonly Span[]): readonly Span[];
  /** The platform puts space below headings by itself. */
  hasTightHeadings?: boolean;
  quote: {
    frame(): Frame;
    /** Without nesting, a quote is around lists, and a quote in a quote is the same quote. */
    nests: boolean;
  };
  code: {
    frame(language: string): Frame;
    /** Which frames a block of code can be in. */
    within: "all" | "quotes" | "none";
    /** A style of its lines. */
    mark?: Mark;
    adapt?(text: string): string;
  };
  list: {
    /** By depth; the last one for all deeper lists. */
    bullets: readonly string[];
    /** The platform draws bullets itself: a task's box comes behind one, not in its place. */
    native?: boolean;
    /** Columns; as wide as the bullet otherwise. */
    indent?: number;
    alignsNumbers?: boolean;
  };
  table: {
    /** Wider ones become lists. */
    maxWidth: number;
    /** Columns need a block of code. */
    inCode: boolean;
  };
  rule: string;
  /** The marker of a part follows a block of code in the same line. */
  marksBehindCode?: boolean;
}

export const BULLETS = ["•", "◦", "▪"] as const;
export const RULE = "─".repeat(10);

export function boldHeading(_depth: number, spans: readonly Span[]): Span[] {
  return spans.map((span) => ({ ...span, marks: withMark(span.marks, BOLD) }));
}

export const byUtf16 = (written: string): number => written.length;

/** Fences as in Markdown. */
export function fence(language: string): Frame {
  return { kind: "code", open: `\`\`\`${language}\n`, close: "\n```", prefix: "" };
}

/** Three backticks would end the block: an invisible character keeps them apart. */
export function withoutFences(code: string): string {
  return code.replace(/``(?=`)/g, "``\u200b");
}

export function markedQuote(): Frame {
  return { kind: "quote", open: "", close: "", prefix: "> " };
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

export function escapeHtml(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, (char) => ESCAPES[char]!) : text;
}
