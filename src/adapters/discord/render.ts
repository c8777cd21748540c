/** Markdown → messages in Discord's Markdown. Pure. */
import { hasMark, type Mark, plain, type Span } from "../../text/blocks.js";
import {
  boldHeading,
  byUtf16,
  type Dialect,
  fence,
  markedQuote,
  RULE,
  withoutFences,
} from "../../text/dialect.js";
import { renderMarkdown } from "../../text/parts.js";
import { previewStart } from "../preview.js";

/** Discord counts characters; counting UTF-16 units is never too few. */
export const LIMIT = 2000;

export function renderParts(markdown: string, limit = LIMIT): string[] {
  return renderMarkdown(markdown, DISCORD, { limit }).map(({ text }) => text);
}

/** Behind a preview that is longer than a message. */
export const CUT_OFF = "\n…";

/** As much as fits into one message. */
export function renderPreview(markdown: string, limit = LIMIT): string {
  const options = { limit: limit - CUT_OFF.length, marker: false };
  const [first, ...more] = renderMarkdown(previewStart(markdown), DISCORD, options);
  return (first?.text ?? "") + (more.length > 0 ? CUT_OFF : "");
}

const SIGNS: Partial<Record<Mark["kind"], string>> = { bold: "**", italic: "*", strike: "~~", code: "`" };

const DISCORD: Dialect = {
  cost: byUtf16,
  escape: (text, { literal }) => (literal ? `\\${[...text].join("\\")}` : text),
  open: ({ kind }) => (kind === "link" ? "[" : (SIGNS[kind] ?? "")),
  close: ({ kind, href }) => (kind === "link" ? `](${encodeAddress(href!)})` : (SIGNS[kind] ?? "")),
  adapt: (spans) => spans.flatMap((span, i) => adapted(span, i === 0)),
  // Discord refuses words that look like another address.
  canLink: (href, words) => /^(https?|discord):\/\//i.test(href) && !/https?:\/\//i.test(words),
  // Three sizes; below them, bold.
  heading: (depth, spans) =>
    depth > 3 ? boldHeading(depth, spans) : [plain(`${"#".repeat(depth)} `), ...spans],
  hasTightHeadings: true,
  quote: { frame: markedQuote, nests: false },
  code: { frame: fence, within: "quotes", adapt: withoutFences },
  list: { bullets: ["-"], native: true },
  // As much as fits a phone screen without wrapping.
  table: { maxWidth: 60, inCode: true },
  rule: RULE,
};

function encodeAddress(href: string): string {
  return href.replaceAll("(", "%28").replaceAll(")", "%29").replace(/\s/g, "%20");
}

/** Mentions, emoji, timestamps and addresses mean nothing in two pieces; `||` and `-#` are Discord's own marks. */
const SPECIAL = /(<(?:@[!&]?|#|a?:\w+:|t:)[\w:]+>|https?:\/\/\S+|\|\||^-(?=# ))/;

function adapted(span: Span, isFirst: boolean): Span[] {
  if (span.literal) return [span];
  if (hasMark(span, "link")) return [{ ...span, text: span.text.replace(/[[\]]/g, "") }];
  if (hasMark(span, "code")) return [span.text.includes("`") ? codeWithTicks(span) : span];
  // Odd pieces are special.
  const pieces = span.text.split(SPECIAL).map((text, i): Span => {
    if (i % 2 === 0 || (text === "-" && !isFirst)) return { ...span, text };
    return text === "||" || text === "-" ? { ...span, text, literal: true } : { ...span, text, solid: true };
  });
  return pieces.filter(({ text }) => text !== "");
}

function codeWithTicks({ text, marks }: Span): Span {
  const outside = marks.filter(({ kind }) => kind !== "code");
  return { text: `\`\` ${text.replaceAll("``", "`\u200b`")} \`\``, marks: outside, solid: true };
}
