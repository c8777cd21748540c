/** Markdown as chats use it → blocks. Pure. */
import { decodeHTMLStrict } from "entities/decode";
import type { MarkedToken, Token, Tokens } from "marked";
import {
  type Block,
  BOLD,
  CODE,
  ITALIC,
  type Item,
  type Mark,
  plain,
  type Span,
  STRIKE,
  withMark,
} from "./blocks.js";
import { tokensOf } from "./lexer.js";

/** A stretch of the source with what it means: nothing for blank lines and link definitions. */
export interface SourceBlock {
  raw: string;
  blocks: readonly Block[];
}

export function sourceBlocks(markdown: string): SourceBlock[] {
  const text = cleaned(markdown);
  try {
    return tokensOf(text).map((token) => ({ raw: token.raw, blocks: blocksOf([token]) }));
  } catch {
    // Whatever the parser stumbled over, the words have to arrive.
    return [{ raw: text, blocks: asIs(text) }];
  }
}

export function parseMarkdown(markdown: string): Block[] {
  return sourceBlocks(markdown).flatMap((source) => source.blocks);
}

/** The text without a look at its Markdown. */
export function asIs(text: string): Block[] {
  return text.trim() === "" ? [] : [{ type: "paragraph", spans: [plain(cleaned(text))] }];
}

/** Without characters that JSON or platforms refuse: control characters and halves of surrogate pairs. */
function cleaned(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

// ── blocks ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function blocksOf(tokens: readonly Token[]): Block[] {
  return tokens.flatMap((token) => blockOf(token as MarkedToken));
}

function blockOf(token: MarkedToken): Block[] {
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading":
      return [{ type: "heading", depth: token.depth, spans: spansOf(token.tokens) }];
    case "code":
      return [{ type: "code", language: languageOf(token), text: token.text }];
    case "blockquote":
      return [{ type: "quote", blocks: blocksOf(token.tokens) }];
    case "list":
      return [listOf(token)];
    case "table":
      return [tableOf(token)];
    case "hr":
      return [{ type: "rule" }];
    case "html":
      return [{ type: "paragraph", spans: [plain(withBreaks(token.text.trimEnd()))] }];
    case "paragraph":
      return [{ type: "paragraph", spans: spansOf(token.tokens) }];
    default:
      // Inline tokens between blocks, and kinds that marked may add.
      return [{ type: "paragraph", spans: spansOf([token]) }];
  }
}

const MAX_LANGUAGE = 30;

function languageOf({ lang = "" }: Tokens.Code): string {
  return lang.trim().split(/\s/, 1)[0]!.replaceAll("`", "").slice(0, MAX_LANGUAGE);
}

function listOf({ ordered, start, loose, items }: Tokens.List): Block {
  const first = ordered ? Number(start === "" ? 1 : start) : undefined;
  return { type: "list", start: first, loose, items: items.map(itemOf) };
}

function itemOf({ task, checked, tokens }: Tokens.ListItem): Item {
  return { checked: task ? checked === true : undefined, blocks: blocksOf(tokens) };
}

function tableOf({ header, rows, align }: Tokens.Table): Block {
  const cellsOf = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => spansOf(tokens));
  return { type: "table", header: cellsOf(header), rows: rows.map(cellsOf), align };
}

// ── inside a block ──────────────────────────────────────────────────────────────────────────────────────────────────

function spansOf(tokens: readonly Token[], marks: readonly Mark[] = []): Span[] {
  if (tokens.length === 1) return tokenSpans(tokens[0] as MarkedToken, marks);
  return tokens.flatMap((token) => tokenSpans(token as MarkedToken, marks));
}

function tokenSpans(token: MarkedToken, marks: readonly Mark[]): Span[] {
  switch (token.type) {
    case "strong":
      return spansOf(token.tokens, withMark(marks, BOLD));
    case "em":
      return spansOf(token.tokens, withMark(marks, ITALIC));
    case "del":
      return spansOf(token.tokens, withMark(marks, STRIKE));
    case "codespan":
      return [plain(token.text.replaceAll("\n", " "), withMark(marks, CODE))];
    case "link":
      return linkSpans(token, marks);
    case "image":
      return [plain(decoded(token.text) || "image", linkMarks(marks, token.href))];
    case "br":
      return [plain("\n", marks)];
    case "checkbox":
      return [];
    case "escape":
      return [{ text: token.text, marks, literal: true }];
    case "html":
      return [plain(withBreaks(token.text), marks)];
    case "text":
      // Not its text: marked has decoded some of the entities there.
      return token.tokens ? spansOf(token.tokens, marks) : [plain(decoded(token.raw), marks)];
    default:
      return [plain(token.raw, marks)];
  }
}

function linkSpans({ tokens, href }: Tokens.Link, marks: readonly Mark[]): Span[] {
  return tokens.length > 0 ? spansOf(tokens, linkMarks(marks, href)) : [plain(decoded(href), marks)];
}

function linkMarks(marks: readonly Mark[], href: string): readonly Mark[] {
  return href === "" ? marks : withMark(marks, { kind: "link", href: decoded(href) });
}

function withBreaks(html: string): string {
  return html.replace(/<br\s*\/?>/gi, "\n");
}

function decoded(text: string): string {
  return text.includes("&") ? cleaned(decodeHTMLStrict(text)) : text;
}
