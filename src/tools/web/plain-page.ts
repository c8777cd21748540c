/** HTML → plain text without a parser, for pages that the parser can't handle. Linear: every search starts after the last. */
import { decodeHTML } from "entities";

/** Their content isn't text. */
const SKIPPED = /^(?:script|style|noscript|template|svg|head|iframe)$/;
const BLOCKS =
  /^(?:p|div|br|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|main|blockquote|pre|hr|dt|dd)$/;

export function plainPage(html: string): string {
  const parts: string[] = [];
  const unclosed = new Set<string>();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open === -1) break;
    parts.push(html.slice(at, open));
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4);
      if (end === -1) return cleaned(parts);
      at = end + 3;
      continue;
    }
    const close = html.indexOf(">", open);
    if (close === -1) return cleaned(parts);
    const name = nameAt(html, open + 1);
    at = close + 1;
    if (BLOCKS.test(name.replace("/", ""))) parts.push("\n");
    if (!SKIPPED.test(name) || unclosed.has(name)) continue;
    const end = endOf(html, name, at);
    if (end === -1) unclosed.add(name);
    else at = end;
  }
  parts.push(html.slice(at));
  return cleaned(parts);
}

const MAX_NAME = 12;

/** `p`, `/p`; empty for anything that isn't a tag. */
function nameAt(html: string, at: number): string {
  return /^\/?[a-z][a-z0-9]*/i.exec(html.slice(at, at + MAX_NAME))?.[0].toLowerCase() ?? "";
}

function endOf(html: string, name: string, from: number): number {
  for (let at = html.indexOf("</", from); at !== -1; at = html.indexOf("</", at + 2)) {
    if (nameAt(html, at + 1) !== `/${name}`) continue;
    const close = html.indexOf(">", at);
    return close === -1 ? html.length : close + 1;
  }
  return -1;
}

function cleaned(parts: readonly string[]): string {
  return tidy(decodeHTML(parts.join("")));
}

/** Without runs of spaces and empty lines. */
export function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/[^\S\n]+/g, " ").trim());
  const kept = lines.filter((line, i) => line !== "" || (i > 0 && lines[i - 1] !== ""));
  return kept.join("\n").trim();
}
