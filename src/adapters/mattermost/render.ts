/** Markdown → posts in Mattermost's Markdown. Pure. */
import { hasMark, type Mark, plain, type Span } from "../../text/blocks.js";
import { byUtf16, type Dialect, fence, markedQuote, withoutFences } from "../../text/dialect.js";
import { renderMarkdown } from "../../text/parts.js";
import { previewEnd, previewStart } from "../preview.js";

/** Servers take 16,383 characters, older ones 4,000. */
export const LIMIT = 4000;

export function renderParts(markdown: string): string[] {
  return renderMarkdown(markdown, MATTERMOST, { limit: LIMIT }).map(({ text }) => text);
}

/** As much as fits into one post. */
export function renderPreview(markdown: string): string {
  const [first] = renderMarkdown(previewStart(markdown), MATTERMOST, { limit: LIMIT, marker: false });
  return first?.text ?? "";
}

/** The end of a text, as much as fits into one post. */
export function renderEnd(markdown: string): string {
  return renderMarkdown(previewEnd(markdown), MATTERMOST, { limit: LIMIT, marker: false }).at(-1)?.text ?? "";
}

const SIGNS: Partial<Record<Mark["kind"], string>> = { bold: "**", italic: "*", strike: "~~", code: "`" };

const MATTERMOST: Dialect = {
  cost: byUtf16,
  escape: (text, { literal }) => (literal ? `\\${[...text].join("\\")}` : text),
  open: ({ kind }) => (kind === "link" ? "[" : (SIGNS[kind] ?? "")),
  close: ({ kind, href }) => (kind === "link" ? `](${encodeAddress(href!)})` : (SIGNS[kind] ?? "")),
  adapt: (spans) => spans.map(adapted),
  canLink: (href) => /^(?:https?|mailto|tel):/i.test(href),
  heading: (depth, spans) => [plain(`${"#".repeat(depth)} `), ...spans],
  hasTightHeadings: true,
  quote: { frame: markedQuote, nests: true },
  code: { frame: fence, within: "all", adapt: withoutFences },
  list: { bullets: ["-"], native: true },
  table: { maxWidth: 100, inCode: true },
  rule: "---",
};

function encodeAddress(href: string): string {
  return href.replaceAll("(", "%28").replaceAll(")", "%29").replace(/\s/g, "%20");
}

/** A model's text never calls a whole channel: an invisible character keeps the sign and the word apart. */
const ALL = /@(?=(?:all|channel|here)\b)/gi;

function adapted(span: Span): Span {
  if (hasMark(span, "link")) return { ...span, text: span.text.replace(/[[\]]/g, "") };
  if (hasMark(span, "code")) return { ...span, text: span.text.replaceAll("`", "ˋ") };
  return span.literal ? span : { ...span, text: span.text.replace(ALL, "@\u200b") };
}
