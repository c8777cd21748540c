/** Markdown → messages in Slack's mrkdwn. Pure. */
import { hasMark, type Mark, plain, type Span, sharedDepth } from "../../text/blocks.js";
import {
  BULLETS,
  boldHeading,
  byUtf16,
  type Dialect,
  escapeHtml,
  fence,
  markedQuote,
  RULE,
  withoutFences,
} from "../../text/dialect.js";
import { type PartOptions, renderMarkdown, splitIntoParts } from "../../text/parts.js";

/** Longest message that Slack takes without trouble (measured: refused from about 13,200). */
export const MAX_MESSAGE = 12_000;

export interface Part {
  text: string;
  /** The same in pieces of at most so many characters, each valid by itself. */
  pieces(limit: number): string[];
}

export function render(markdown: string, options: Partial<PartOptions> = {}): Part[] {
  const parts = renderMarkdown(markdown, MRKDWN, { limit: MAX_MESSAGE, ...options });
  return parts.map(({ text, lines, marker }) => ({
    text,
    pieces: (limit) => {
      const pieces = splitIntoParts(lines, MRKDWN, { limit: limit - marker.length, marker: false });
      return pieces.map((piece, i) => (i === pieces.length - 1 ? piece.text + marker : piece.text));
    },
  }));
}

const SIGNS: Partial<Record<Mark["kind"], string>> = { bold: "*", italic: "_", strike: "~", code: "`" };

const MRKDWN: Dialect = {
  cost: byUtf16,
  escape: escapeHtml,
  open: (mark) => {
    if (mark.kind !== "link") return SIGNS[mark.kind] ?? "";
    return mark.bare ? "<" : `<${escapeHtml(encodeAddress(mark.href!))}|`;
  },
  close: ({ kind }) => (kind === "link" ? ">" : (SIGNS[kind] ?? "")),
  adapt: (spans) => withEdges(withSpacesOutside(spans.map(adapted))),
  canLink: (href) => /^(https?|mailto|tel):/i.test(href) && href.length <= MAX_URL,
  marksBareLinks: true,
  heading: boldHeading,
  quote: { frame: markedQuote, nests: false },
  // Inside a quote Slack would show the backticks.
  code: { frame: () => fence(""), within: "none", adapt: withoutFences },
  list: { bullets: BULLETS, indent: 4 },
  table: { maxWidth: 100, inCode: true },
  rule: RULE,
};

const MAX_URL = 1500;

function encodeAddress(address: string): string {
  return address.replace(/[<>|\s]/g, (char) => encodeURIComponent(char));
}

// ── one line ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Slack takes a sign only at the edge of a word; this invisible character makes an edge, or keeps a sign from being one. */
const EDGE = "\u200b";

function adapted(span: Span): Span {
  const link = span.marks.findIndex(({ kind }) => kind === "link");
  // Signs in the words of a link are shown as they are.
  if (link >= 0)
    return { ...span, marks: span.marks.slice(0, link + 1), text: linkText(span, span.marks[link]!) };
  // There is no escape for a backtick in code.
  if (hasMark(span, "code")) return { ...span, text: span.text.replaceAll("`", "ˋ") };
  if (span.literal) return { ...span, text: /[*_~`]/.test(span.text) ? span.text + EDGE : span.text };
  return { ...span, text: withLiteralSigns(span.text) };
}

function linkText({ text }: Span, { bare }: Mark): string {
  return bare ? encodeAddress(text) : text.replace(/\s+/g, " ");
}

function withLiteralSigns(line: string): string {
  return line.replace(/[*_~`]/g, (sign, at: number) => (wouldFormat(line, sign, at) ? sign + EDGE : sign));
}

/** Not behind a letter or digit, not before a blank, and the same sign comes again. */
function wouldFormat(line: string, sign: string, at: number): boolean {
  const isBehindWord = /[\p{L}\p{N}]$/u.test(line.slice(Math.max(0, at - 2), at));
  return !isBehindWord && /\S/.test(line[at + 1] ?? " ") && line.includes(sign, at + 2);
}

/** A space next to a sign turns it off: it keeps only the styles that continue on its other side. */
function withSpacesOutside(spans: readonly Span[]): Span[] {
  return spans.flatMap((span, i) => {
    if (span.marks.length === 0 || hasMark(span, "link")) return [span];
    const start = span.text.length - span.text.trimStart().length;
    const end = Math.max(start, span.text.trimEnd().length);
    const shared = (other: Span | undefined) =>
      span.marks.slice(0, sharedDepth(other?.marks ?? [], span.marks));
    return [
      { ...span, text: span.text.slice(0, start), marks: shared(spans[i - 1]) },
      { ...span, text: span.text.slice(start, end) },
      { ...span, text: span.text.slice(end), marks: shared(spans[i + 1]) },
    ].filter(({ text }) => text !== "");
  });
}

function withEdges(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const [i, span] of spans.entries()) {
    const last = spans[i - 1];
    if (last && needsEdge(last, span))
      out.push(plain(EDGE, last.marks.slice(0, sharedDepth(last.marks, span.marks))));
    out.push(span);
  }
  return out;
}

function needsEdge(last: Span, next: Span): boolean {
  const [before, after] = [styles(last), styles(next)];
  const shared = sharedDepth(before, after);
  const opens = after.length > shared && shared === 0 && isWordy(last.text.at(-1));
  return opens || (before.length > shared && isWordy(next.text[0]));
}

function styles({ marks }: Span): Mark[] {
  return marks.filter(({ kind }) => SIGNS[kind] !== undefined);
}

function isWordy(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}\p{M}]/u.test(char);
}
