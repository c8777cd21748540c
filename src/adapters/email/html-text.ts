/** HTML-only mail → text. Pure and linear; no markup survives. */
import { decodeHTML } from "entities";

const MAX_HTML = 1_000_000;
const BLOCKS = new Set([
  "p",
  "div",
  "br",
  "tr",
  "li",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "blockquote",
  "pre",
  "table",
  "hr",
]);
const HIDDEN = new Set(["style", "script", "head", "title"]);

export function htmlToText(html: string): string {
  const source = html.slice(0, MAX_HTML);
  const out: string[] = [];
  let hidden: string | undefined;
  let quotes = 0;
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf("<", at);
    const text = source.slice(at, open < 0 ? undefined : open);
    if (hidden === undefined) out.push(decodeHTML(text.replace(/\s+/g, " ")));
    if (open < 0) break;
    const isComment = source.startsWith("<!--", open);
    const close = source.indexOf(isComment ? "-->" : ">", open);
    if (close < 0) break;
    at = close + (isComment ? 3 : 1);
    if (isComment) continue;
    const tag = source.slice(open + 1, Math.min(close, open + 40)).toLowerCase();
    const isEnd = tag.startsWith("/");
    const name = /^\/?([a-z0-9]{1,20})/.exec(tag)?.[1] ?? "";
    if (HIDDEN.has(name)) hidden = isEnd ? undefined : (hidden ?? name);
    if (name === "blockquote") quotes = Math.max(0, quotes + (isEnd ? -1 : 1));
    if (BLOCKS.has(name)) out.push(`\n${quotes > 0 ? "> " : ""}`);
  }
  return out
    .join("")
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
