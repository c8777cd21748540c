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
import { type Row, rowsOf } from "./choices.js";

export const LIMIT = 4096;
/** Of a text with choices below it. */
const CHOICES_LIMIT = 1024;

export interface TextPart {
  text: string;
  /** The choices of a question. */
  rows?: readonly Row[];
}

export type WhatsAppPart = TextPart | { file: OutboundFile };

export const REPEAT = "(This may be a repeat.)";
const NOTE_ROOM = REPEAT.length + 1;
const CHOOSE = "Please choose:";

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

/** Choices are below the last part, so the files of a question come before its text. */
export function partsOf({ text, files = [], question }: OutboundMessage): WhatsAppPart[] {
  const texts: TextPart[] = renderMarkdown(text, MARKS, { limit: LIMIT, spare: NOTE_ROOM }).map((part) => ({
    text: part.text,
  }));
  const uploads = files.map((file) => ({ file }));
  if (!question) return [...texts, ...uploads];
  return [...uploads, ...withRows(texts, rowsOf(question))];
}

function withRows(texts: readonly TextPart[], rows: readonly Row[]): TextPart[] {
  const last = texts.at(-1);
  if (rows.length === 0) return last ? [...texts] : [{ text: CHOOSE }];
  const fits = last !== undefined && last.text.length <= CHOICES_LIMIT;
  return fits ? [...texts.slice(0, -1), { ...last, rows }] : [...texts, { text: CHOOSE, rows }];
}

/** What is sent for a part that may be a repeat: two messages if both don't fit into one. */
export function marked(part: TextPart): TextPart[] {
  const text = `${REPEAT}\n${part.text}`;
  const limit = part.rows ? CHOICES_LIMIT : LIMIT;
  return text.length > limit ? [{ text: REPEAT }, part] : [{ ...part, text }];
}
