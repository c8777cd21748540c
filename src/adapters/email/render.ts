/** Markdown → the HTML and the plain text of a mail. Pure. */
import type { OutboundFile, OutboundMessage } from "../../message.js";
import { byUtf16, type Dialect } from "../../text/dialect.js";
import { htmlDialect } from "../../text/html.js";
import { renderMarkdown } from "../../text/parts.js";
import { readable } from "../../text/write.js";
import { MAX_FILES_BYTES } from "./config.js";

/** Of the plain text. Longer answers are several mails. */
export const LIMIT = 50_000;

export interface MailPart {
  text: string;
  html: string;
  files?: readonly OutboundFile[];
}

const REPEAT = "(This may be a repeat.)";

const HTML: Dialect = {
  ...htmlDialect({
    elements: { bold: "b", italic: "i", strike: "s", code: "code" },
    onCode: "all",
  }),
  cost: byUtf16,
  canLink: (href) => /^(?:https?|mailto|tel):/i.test(href) && href.length <= 2000,
  code: { frame: () => ({ kind: "code", open: "<pre>", close: "</pre>", prefix: "" }), within: "quotes" },
  table: { maxWidth: 100, inCode: true },
};

export function partsOf({ text, files = [] }: OutboundMessage): MailPart[] {
  const parts: MailPart[] = renderMarkdown(text, HTML, { limit: LIMIT, spare: 0 }).map((part) => ({
    text: readable(part.lines) + part.marker,
    html: page(part.text),
  }));
  for (const group of groupsOf(files)) {
    const last = parts.at(-1);
    if (last && !last.files) parts[parts.length - 1] = { ...last, files: group };
    else parts.push({ text: "", html: page(""), files: group });
  }
  return parts;
}

/** As many in one mail as servers take. */
function groupsOf(files: readonly OutboundFile[]): OutboundFile[][] {
  const groups: OutboundFile[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const file of files) {
    bytes += file.bytes;
    if (bytes > MAX_FILES_BYTES) {
      groups.push([]);
      bytes = file.bytes;
    }
    groups.at(-1)!.push(file);
  }
  return groups;
}

export function marked(part: MailPart): MailPart {
  return {
    ...part,
    text: `${REPEAT}\n\n${part.text}`,
    html: part.html.replace("<body>", `<body><p><i>${REPEAT}</i></p>`),
  };
}

/** Lines end with <br>, except in blocks of code. */
function page(html: string): string {
  const pieces = html.split(/(<pre>|<\/pre>)/);
  let inCode = false;
  const lines = pieces.map((piece) => {
    if (piece === "<pre>") inCode = true;
    if (piece === "</pre>") inCode = false;
    return inCode ? piece : piece.replaceAll("\n", "<br>\n");
  });
  return `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>${lines.join("")}</body></html>\n`;
}
