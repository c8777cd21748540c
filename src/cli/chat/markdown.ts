import { marked, type Token, type Tokens } from "marked";
import type pc from "picocolors";
import { isWild } from "../../adapters/wild-markdown.js";
import { withoutTrailing } from "../../trailing.js";
import { cellWidth, padToCells } from "../cells.js";
import { type Span, unstyled, wrapSpans } from "./wrap.js";

/** Markdown → lines for a terminal of this width. Without colours it is still readable. */
export interface Paper {
  width: number;
  colors: ReturnType<typeof pc.createColors>;
}

const RULE_MAX = 40;

export function renderMarkdown(text: string, paper: Paper): string[] {
  return renderBlocks(blocksOf(text), paper);
}

/** What would keep the parser busy for minutes is one block of plain text. */
export function blocksOf(text: string): Token[] {
  return isWild(text) ? [{ type: "text", raw: text, text }] : marked.lexer(text);
}

/** Blocks with a blank line between them. */
export function renderBlocks(tokens: readonly Token[], paper: Paper): string[] {
  return tokens
    .map((token) => renderBlock(token, paper))
    .filter((lines) => lines.length > 0)
    .flatMap((lines, i) => (i === 0 ? lines : ["", ...lines]));
}

/** The lines of one block; none for what stands between blocks. */
export function renderBlock(token: Token, paper: Paper): string[] {
  const { colors, width } = paper;
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return wrapSpans(inline(token.tokens ?? [], paper, colors.bold), width);
    case "code":
      return codeLines(token as Tokens.Code, paper);
    case "blockquote":
      return framed(token.tokens ?? [], paper);
    case "list":
      return listLines(token as Tokens.List, paper);
    case "table":
      return tableLines(token as Tokens.Table, paper);
    case "hr":
      return [colors.dim("─".repeat(Math.min(width, RULE_MAX)))];
    default:
      return wrapSpans(inlineOf(token, paper), width);
  }
}

function inlineOf(token: Token, paper: Paper): Span[] {
  if ("tokens" in token && token.tokens) return inline(token.tokens, paper);
  const text = "text" in token && typeof token.text === "string" ? token.text : token.raw;
  return [{ text: withoutTrailing(text, "\n"), style: unstyled }];
}

/** Not wrapped: who copies it wants its own lines. */
function codeLines({ text, lang }: Tokens.Code, { colors }: Paper): string[] {
  const name = lang ? [colors.dim(`  ${lang}`)] : [];
  return [...name, ...text.split("\n").map((line) => (line === "" ? "" : `  ${colors.cyan(line)}`))];
}

function framed(tokens: readonly Token[], paper: Paper): string[] {
  const { colors } = paper;
  const lines = renderBlocks(tokens, { ...paper, width: paper.width - 2 });
  return lines.map((line) => `${colors.dim("│")} ${line}`.trimEnd());
}

function listLines(list: Tokens.List, paper: Paper): string[] {
  const first = Number(list.start) || 1;
  const last = `${first + list.items.length - 1}`;
  return list.items.flatMap((item, i) => {
    const mark = list.ordered ? `${`${first + i}`.padStart(last.length)}.` : "•";
    const lines = itemLines(item, { ...paper, width: paper.width - mark.length - 1 });
    const indent = " ".repeat(mark.length + 1);
    const body = lines.map((line, row) => (row === 0 ? `${mark} ${line}` : `${indent}${line}`.trimEnd()));
    return list.loose && i > 0 ? ["", ...body] : body;
  });
}

function itemLines(item: Tokens.ListItem, paper: Paper): string[] {
  const blocks = item.tokens
    .filter(({ type }) => type !== "checkbox")
    .map((token) => renderBlock(token, item.task ? { ...paper, width: paper.width - 2 } : paper))
    .filter((lines) => lines.length > 0);
  const lines = blocks.flatMap((block, i) => (i > 0 && item.loose ? ["", ...block] : block));
  if (!item.task) return lines.length === 0 ? [""] : lines;
  const box = item.checked ? "☑" : "☐";
  return (lines.length === 0 ? [""] : lines).map((line, i) => (i === 0 ? `${box} ${line}` : `  ${line}`));
}

/** Columns where they fit; otherwise every row as a list of its cells. */
function tableLines({ header, rows, align }: Tokens.Table, paper: Paper): string[] {
  const { colors, width } = paper;
  const texts = [header, ...rows].map((cells) => cells.map((cell) => cellText(cell, paper)));
  const widths = header.map((_, column) => Math.max(...texts.map((row) => cellWidth(row[column] ?? ""))));
  if (widths.reduce((sum, cells) => sum + cells + 2, -2) > width) return rowLists(texts, paper);
  const draw = (row: readonly string[]) =>
    widths
      .map((cells, i) => aligned(row[i] ?? "", cells, align[i] ?? null))
      .join("  ")
      .trimEnd();
  const [names = [], ...others] = texts;
  const rule = widths.map((cells) => "─".repeat(cells)).join("  ");
  return [colors.bold(draw(names)), colors.dim(rule), ...others.map(draw)];
}

function cellText({ tokens }: Tokens.TableCell, paper: Paper): string {
  return inline(tokens, paper)
    .map(({ text }) => text)
    .join("");
}

function aligned(text: string, cells: number, align: "left" | "right" | "center" | null): string {
  const missing = cells - cellWidth(text);
  if (align === "right") return " ".repeat(missing) + text;
  return padToCells(align === "center" ? " ".repeat(Math.floor(missing / 2)) + text : text, cells);
}

function rowLists([names = [], ...rows]: readonly string[][], { width, colors }: Paper): string[] {
  return rows.flatMap((row, i) => [
    ...(i === 0 ? [] : [""]),
    ...row.flatMap((text, column) =>
      wrapSpans(
        [
          { text: `${names[column] ?? ""}: `, style: colors.bold },
          { text, style: unstyled },
        ],
        width,
      ),
    ),
  ]);
}

type Style = Span["style"];

function inline(tokens: readonly Token[], paper: Paper, style: Style = unstyled): Span[] {
  const { colors } = paper;
  const within = (token: Token, more: Style) =>
    inline((token as Tokens.Generic).tokens ?? [], paper, (text) => style(more(text)));
  return tokens.flatMap((token): Span[] => {
    switch (token.type) {
      case "strong":
        return within(token, colors.bold);
      case "em":
        return within(token, colors.italic);
      case "del":
        return within(token, colors.strikethrough);
      case "codespan":
        return [{ text: token.text, style: (text) => style(colors.cyan(text)) }];
      case "br":
        return [{ text: "\n", style }];
      case "link":
        return linkSpans(token as Tokens.Link, paper, style);
      case "image":
        return [{ text: `[${token.text || "image"}] (${token.href})`, style }];
      case "text":
        return token.tokens ? inline(token.tokens, paper, style) : [{ text: token.text, style }];
      case "escape":
        return [{ text: token.text, style }];
      default:
        return [{ text: token.raw, style }];
    }
  });
}

function linkSpans({ tokens, text, href }: Tokens.Link, paper: Paper, style: Style): Span[] {
  const { colors } = paper;
  const said = inline(tokens, paper, (part) => style(colors.underline(part)));
  if (text === href || href === `mailto:${text}`) return said;
  return [...said, { text: ` (${href})`, style: (part) => style(colors.dim(part)) }];
}
