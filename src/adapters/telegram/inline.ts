/** Markdown inside a block → runs. Pure. */
import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities } from "../entities.js";
import { bold, inlineCode, italic, link, type Run, struck, type Tag } from "./runs.js";

export function inline(tokens: readonly Token[], tags: readonly Tag[]): Run[] {
  return tokens.flatMap((token) => inlineRuns(token as MarkedToken, tags));
}

function inlineRuns(token: MarkedToken, tags: readonly Tag[]): Run[] {
  switch (token.type) {
    case "strong":
      return inline(token.tokens, wearing(tags, bold()));
    case "em":
      return inline(token.tokens, wearing(tags, italic()));
    case "del":
      return inline(token.tokens, wearing(tags, struck()));
    case "codespan":
      return [{ text: token.text, tags: codeTags(tags) }];
    case "link":
      return linkRuns(token, tags);
    case "image":
      return linked(token.href, [{ text: decodeEntities(token.text) || "image", tags }]);
    case "br":
      return [{ text: "\n", tags }];
    case "checkbox":
      return [{ text: token.checked ? "☑ " : "☐ ", tags }];
    case "escape":
      return [{ text: token.text, tags }];
    case "html":
      return [{ text: /^<br\s*\/?>$/i.test(token.text) ? "\n" : token.text, tags }];
    case "text":
      return token.tokens ? inline(token.tokens, tags) : [{ text: decodeEntities(token.text), tags }];
    default:
      return [{ text: token.raw, tags }];
  }
}

/** Bold in bold is bold. */
function wearing(tags: readonly Tag[], tag: Tag): readonly Tag[] {
  return tags.some(({ kind }) => kind === tag.kind) ? tags : [...tags, tag];
}

/** Telegram allows no other style on code; a link's address matters more than its style. */
function codeTags(tags: readonly Tag[]): readonly Tag[] {
  const kept = tags.filter(({ kind }) => kind === "quote" || kind === "a");
  return kept.some(({ kind }) => kind === "a") ? kept : [...kept, inlineCode()];
}

function linkRuns(token: Tokens.Link, tags: readonly Tag[]): Run[] {
  // Telegram finds bare addresses by itself.
  if (token.autolink || token.text === token.href) return [{ text: token.text, tags }];
  return linked(token.href, inline(token.tokens, tags));
}

const LONGEST_HREF = 1000;

/** An address that Telegram would drop is written out. */
function linked(href: string, runs: Run[]): Run[] {
  const address = decodeEntities(href);
  if (!/^(https?|tg|mailto|tel):/i.test(address) || address.length > LONGEST_HREF)
    return address === "" ? runs : [...runs, { text: ` (${address})`, tags: runs.at(-1)?.tags ?? [] }];
  const tag = link(address);
  return runs.map(({ text, tags }) => ({ text, tags: wearing(tags, tag) }));
}
