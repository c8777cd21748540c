/** Markdown → WhatsApp's own marks: *bold*, _italic_, ~strike~, ```code```. Pure. */
import type { OutboundFile, OutboundMessage } from "../../message.js";
import type { Mark } from "../../text/blocks.js";
import {
  BULLETS,
  boldHeading,
  byUtf16,
  type Dialect,
  fence,
  markedQuote,
  RULE,
  withoutFences,
} from "../../text/dialect.js";
import { renderMarkdown } from "../../text/parts.js";

export const LIMIT = 4096;

export type WhatsAppPart = { text: string } | { file: OutboundFile };

export const REPEAT = "(This may be a repeat.)";
const NOTE_ROOM = REPEAT.length + 1;

const SIGNS: Partial<Record<Mark["kind"], string>> = { bold: "*", italic: "_", strike: "~", code: "`" };

const MARKS: Dialect = {
  cost: byUtf16,
  escape: (text) => text,
  open: ({ kind }) => SIGNS[kind] ?? "",
  close: ({ kind }) => SIGNS[kind] ?? "",
  canLink: () => false,
  heading: boldHeading,
  quote: { frame: markedQuote, nests: false },
  code: { frame: () => fence(""), within: "none", adapt: withoutFences },
  list: { bullets: BULLETS },
  table: { maxWidth: 38, inCode: true },
  rule: RULE,
};

export function partsOf({ text, files = [] }: OutboundMessage): WhatsAppPart[] {
  const texts = renderMarkdown(text, MARKS, { limit: LIMIT, spare: NOTE_ROOM });
  return [...texts.map((part) => ({ text: part.text })), ...files.map((file) => ({ file }))];
}

/** The texts of a part that may be a repeat: two if both don't fit into one. */
export function marked(text: string): string[] {
  const both = `${REPEAT}\n${text}`;
  return both.length > LIMIT ? [REPEAT, text] : [both];
}
