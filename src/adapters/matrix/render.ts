/** Markdown → messages in Matrix's HTML, with the same as plain text. Pure. */
import type { Dialect, Frame } from "../../text/dialect.js";
import { escapeAttribute, htmlDialect } from "../../text/html.js";
import { renderMarkdown } from "../../text/parts.js";
import { readable } from "../../text/write.js";
import { previewStart } from "../preview.js";

/** An event has at most 65,536 bytes, and has its text twice. */
export const LIMIT = 16_000;

export interface Part {
  html: string;
  text: string;
}

export function render(markdown: string, options: { marker?: boolean } = {}): Part[] {
  return renderMarkdown(markdown, MATRIX, { limit: LIMIT, ...options }).map(({ text, lines, marker }) => ({
    html: withBreaks(text),
    text: readable(lines) + marker,
  }));
}

/** As much as fits into one message. */
export function renderPreview(markdown: string): Part | undefined {
  return render(previewStart(markdown), { marker: false })[0];
}

const BREAK = "<br>";

const MATRIX: Dialect = {
  ...htmlDialect({
    elements: { bold: "strong", italic: "em", strike: "del", code: "code" },
    onCode: "links",
  }),
  // Each end of a line becomes a tag.
  cost: (written) => Buffer.byteLength(written) + BREAK.length * (written.split("\n").length - 1),
  canLink: (href) => /^(?:https?|ftp|mailto|magnet):/i.test(href),
  code: { frame: codeFrame, within: "quotes" },
  table: { maxWidth: 100, inCode: true },
};

function codeFrame(language: string): Frame {
  const name = language === "" ? "" : ` class="language-${escapeAttribute(language)}"`;
  return { kind: "code", prefix: "", open: `<pre><code${name}>`, close: "</code></pre>" };
}

const PRE = "<pre>";
const PRE_END = "</pre>";

/** Outside of code, ends of lines are tags, and spaces at their beginnings are shown. */
function withBreaks(html: string): string {
  const out: string[] = [];
  for (let at = 0; at < html.length; ) {
    const code = html.indexOf(PRE, at);
    const from = code === -1 ? html.length : code;
    const end = html.indexOf(PRE_END, from);
    const to = end === -1 ? html.length : end + PRE_END.length;
    out.push(broken(html.slice(at, from)), html.slice(from, to));
    at = to;
  }
  return out.join("");
}

function broken(html: string): string {
  const lines = html.split("\n").map((line) => {
    const text = line.trimStart();
    return "&nbsp;".repeat(Math.min(20, line.length - text.length)) + text;
  });
  return lines.join(BREAK);
}
