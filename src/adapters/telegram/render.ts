/** Markdown → messages in Telegram's HTML. Pure. */
import type { OutboundQuestion } from "../../question.js";
import { byUtf16, type Dialect, escapeHtml, type Frame } from "../../text/dialect.js";
import { escapeAttribute, htmlDialect } from "../../text/html.js";
import { renderMarkdown } from "../../text/parts.js";
import { readable } from "../../text/write.js";
import { buttonsOf } from "../kit/buttons.js";

/** Telegram counts without tags; counting them too is never too few. */
export const LIMIT = 4096;

/** Each part of a multi-part answer has room for a note. */
const NOTE_ROOM = 96;

export interface Part {
  html: string;
  /** The same without markup, for a server that can't parse the above. */
  text: string;
  /** The choices of a question. */
  keyboard?: Keyboard;
}

export type Keyboard = { text: string; callback_data: string; style?: "primary" | "danger" }[][];

export function render(markdown: string, limit = LIMIT): Part[] {
  const spare = limit === LIMIT ? NOTE_ROOM : 0;
  return renderMarkdown(markdown, HTML, { limit, spare }).map(({ text, lines, marker }) => ({
    html: text,
    text: readable(lines) + marker,
  }));
}

/** More are confusing on a phone. */
export const MAX_CHOICES = 25;
/** Telegram cuts off what doesn't fit. */
const LABEL_CHARS = 60;
/** Two labels of this length fit side by side on a phone. */
const SHORT_LABEL_CHARS = 16;

export function keyboardOf(question: OutboundQuestion): Keyboard {
  const buttons = buttonsOf(question, { maxChoices: MAX_CHOICES, labelChars: LABEL_CHARS }).map(
    ({ label, data, style }) => ({ text: label, callback_data: data, ...(style ? { style } : {}) }),
  );
  const perRow = buttons.every(({ text }) => text.length <= SHORT_LABEL_CHARS) ? 2 : 1;
  const rows = Math.ceil(buttons.length / perRow);
  return Array.from({ length: rows }, (_, row) => buttons.slice(row * perRow, (row + 1) * perRow));
}

/** A line of our own, such as a warning. */
export function note(text: string): Part {
  return { html: `<i>${escapeHtml(text)}</i>`, text };
}

/** A part with a note above it: two messages if both don't fit into one. */
export function withNote(part: Part, note: Part, limit = LIMIT): Part[] {
  const html = `${note.html}\n${part.html}`;
  return html.length > limit ? [note, part] : [{ ...part, html, text: `${note.text}\n${part.text}` }];
}

const HTML: Dialect = {
  ...htmlDialect({
    elements: { bold: "b", italic: "i", strike: "s", code: "code" },
    onCode: "none",
  }),
  cost: byUtf16,
  canLink: (href) => /^(https?|tg|mailto|tel):/i.test(href) && href.length <= MAX_HREF,
  code: { frame: codeFrame, within: "quotes" },
  // As much as fits a phone screen without wrapping.
  table: { maxWidth: 38, inCode: true },
};

/** Telegram drops longer ones. */
const MAX_HREF = 1000;

function codeFrame(language: string): Frame {
  const frame = { kind: "code", prefix: "" } as const;
  if (language === "") return { ...frame, open: "<pre>", close: "</pre>" };
  const open = `<pre><code class="language-${escapeAttribute(language)}">`;
  return { ...frame, open, close: "</code></pre>" };
}
