/** Markdown → messages in WhatsApp's markup, and files. Pure. */
import type { OutboundFile, OutboundMessage } from "../../message.js";
import { hasMark, type Mark, type Span } from "../../text/blocks.js";
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

/** More is possible; people read shorter ones. */
export const LIMIT = 4096;

export type WhatsAppPart = { text: string } | { file: OutboundFile };

export const REPEAT = "(This may be a repeat.)";

const SIGNS: Partial<Record<Mark["kind"], string>> = { bold: "*", italic: "_", strike: "~", code: "`" };

const WHATSAPP: Dialect = {
  cost: byUtf16,
  escape: (text) => text,
  open: ({ kind }) => SIGNS[kind] ?? "",
  close: ({ kind }) => SIGNS[kind] ?? "",
  adapt: (spans) => spans.map(adapted),
  canLink: () => false,
  heading: boldHeading,
  quote: { frame: markedQuote, nests: false },
  code: { frame: () => fence(""), within: "none", adapt: withoutFences },
  list: { bullets: ["-"], native: true },
  // As much as fits a phone screen without wrapping.
  table: { maxWidth: 38, inCode: true },
  rule: RULE,
};

/** A backtick would end the code. */
function adapted(span: Span): Span {
  return hasMark(span, "code") ? { ...span, text: span.text.replaceAll("`", "ˋ") } : span;
}

export function renderTexts(markdown: string, prefix = ""): string[] {
  const firstLimit = LIMIT - prefix.length;
  const parts = renderMarkdown(markdown, WHATSAPP, { limit: LIMIT, firstLimit });
  return parts.map(({ text }, i) => (i === 0 ? prefix + text : text));
}

export function partsOf({ text, files = [] }: OutboundMessage, prefix: string | null): WhatsAppPart[] {
  const texts = renderTexts(text, prefix ?? "").map((part) => ({ text: part }));
  return [...texts, ...files.map((file) => ({ file }))];
}

/** Longer than our own limit at most, not than WhatsApp's. */
export function marked(text: string): string {
  return `${REPEAT}\n${text}`;
}
