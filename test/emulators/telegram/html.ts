/** Telegram's HTML → plain text and entities, with the server's own error texts. */
import { ApiError } from "./types.js";

const TAGS = new Set([
  "b",
  "strong",
  "i",
  "em",
  "u",
  "ins",
  "s",
  "strike",
  "del",
  "code",
  "pre",
  "a",
  "blockquote",
  "tg-spoiler",
  "span",
]);
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
const TOKEN =
  /<(\/?)([a-zA-Z][a-zA-Z0-9-]*)([^>]*)>|<|&(?:#(\d+)|#x([0-9a-f]+)|(lt|gt|amp|quot));|[^<&]+|&/giy;

export interface Entity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
}

const refuse = (why: string): never => {
  throw new ApiError(400, `Bad Request: can't parse entities: ${why}`);
};

export function parseHtml(html: string): { text: string; entities: Entity[] } {
  let text = "";
  const open: { tag: string; attributes: string; offset: number }[] = [];
  const entities: Entity[] = [];
  for (const match of html.matchAll(new RegExp(TOKEN, "giy"))) {
    const [whole, slash, name, attributes = "", decimal, hex, named] = match;
    const at = Buffer.byteLength(html.slice(0, match.index));
    if (whole === "<") refuse(`Unsupported start tag "" at byte offset ${at}`);
    else if (name !== undefined && slash === "") {
      const tag = name.toLowerCase();
      if (!TAGS.has(tag)) refuse(`Unsupported start tag "${tag}" at byte offset ${at}`);
      open.push({ tag, attributes, offset: text.length });
    } else if (name !== undefined) {
      const last = open.pop();
      if (!last) return refuse(`Unexpected end tag at byte offset ${at}`);
      if (last.tag !== name.toLowerCase())
        refuse(`Unmatched end tag at byte offset ${at}, expected "</${last.tag}>", found "</${name}>"`);
      if (text.length > last.offset) entities.push(entityOf(last, text.length));
    } else if (decimal !== undefined) text += String.fromCodePoint(Number(decimal));
    else if (hex !== undefined) text += String.fromCodePoint(Number.parseInt(hex, 16));
    else text += named === undefined ? whole : ENTITIES[named.toLowerCase()]!;
  }
  const left = open.at(-1);
  if (left) refuse(`Can't find end tag corresponding to start tag "${left.tag}"`);
  return { text, entities };
}

function entityOf(open: { tag: string; attributes: string; offset: number }, end: number): Entity {
  const entity: Entity = { type: open.tag, offset: open.offset, length: end - open.offset };
  const href = /href="([^"]*)"/.exec(open.attributes)?.[1];
  if (href !== undefined) entity.url = href;
  const language = /class="language-([^"]*)"/.exec(open.attributes)?.[1];
  if (language !== undefined) entity.language = language;
  return entity;
}
