/** Markdown inside a block → runs. Pure. */
import type { MarkedToken, Token, Tokens } from "marked";
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
      return linked(token.href, [{ text: decoded(token.text) || "image", tags }]);
    case "br":
      return [{ text: "\n", tags }];
    case "checkbox":
      return [{ text: token.checked ? "☑ " : "☐ ", tags }];
    case "escape":
      return [{ text: token.text, tags }];
    case "html":
      return [{ text: /^<br\s*\/?>$/i.test(token.text) ? "\n" : token.text, tags }];
    case "text":
      return token.tokens ? inline(token.tokens, tags) : [{ text: decoded(token.text), tags }];
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
  const address = decoded(href);
  if (!/^(https?|tg|mailto|tel):/i.test(address) || address.length > LONGEST_HREF)
    return address === "" ? runs : [...runs, { text: ` (${address})`, tags: runs.at(-1)?.tags ?? [] }];
  const tag = link(address);
  return runs.map(({ text, tags }) => ({ text, tags: wearing(tags, tag) }));
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Markdown may hold HTML's entities; Telegram shows what they stand for. */
function decoded(text: string): string {
  return text.replace(
    /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, name, dec, hex) => {
      if (name) return NAMED[name.toLowerCase()] ?? whole;
      const point = dec ? Number(dec) : Number.parseInt(hex, 16);
      const valid = point > 31 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
      return valid ? String.fromCodePoint(point) : whole;
    },
  );
}
