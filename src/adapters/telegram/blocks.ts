/** Markdown's blocks → runs. What Telegram has no markup for (headings, lists, tables) is drawn with characters. Pure. */
import type { MarkedToken, Token, Tokens } from "marked";
import { inline } from "./inline.js";
import { bold, codeBlock, quote, type Tag, toText } from "./runs.js";
import type { Writer } from "./writer.js";

export function writeBlocks(writer: Writer, tokens: readonly Token[], tags: readonly Tag[]): void {
  for (const token of tokens) writeBlock(writer, token as MarkedToken, tags);
}

function writeBlock(writer: Writer, token: MarkedToken, tags: readonly Tag[]) {
  switch (token.type) {
    case "space":
    case "def":
      return writer.gap(2);
    case "heading":
      return paragraph(writer, token.tokens, [...tags, bold()]);
    case "paragraph":
      return paragraph(writer, token.tokens, tags);
    case "blockquote":
      return blockquote(writer, token, tags);
    case "code":
      return code(writer, token.text, languageOf(token), tags);
    case "list":
      return list(writer, token, tags);
    case "table":
      return table(writer, token, tags);
    case "hr":
      return line(writer, "———", tags);
    case "html":
      return line(writer, token.text.trimEnd(), tags);
    case "text":
      return writer.sayAll(inline(token.tokens ?? [token], tags));
    default:
      // Inline tokens in a block's place, and kinds that are still to come.
      writer.sayAll(inline([token], tags));
  }
}

function paragraph(writer: Writer, tokens: readonly Token[], tags: readonly Tag[]): void {
  writer.gap(2);
  writer.sayAll(inline(tokens, tags));
  writer.gap(2);
}

function line(writer: Writer, text: string, tags: readonly Tag[]): void {
  writer.gap(2);
  writer.say(text, tags);
  writer.gap(2);
}

/** Telegram has no quote in a quote. */
function blockquote(writer: Writer, { tokens }: Tokens.Blockquote, tags: readonly Tag[]): void {
  writer.gap(2);
  writeBlocks(writer, tokens, tags.some(({ kind }) => kind === "quote") ? tags : [...tags, quote()]);
  writer.gap(2);
}

function code(writer: Writer, text: string, language: string, tags: readonly Tag[]): void {
  writer.gap(2);
  writer.sayAsIs(text, [...tags.filter(({ kind }) => kind === "quote"), codeBlock(language)]);
  writer.gap(2);
}

const LONGEST_LANGUAGE = 40;

function languageOf({ lang = "" }: Tokens.Code): string {
  return lang.trim().split(/\s/, 1)[0]!.slice(0, LONGEST_LANGUAGE);
}

function list(writer: Writer, { ordered, start, items, loose }: Tokens.List, tags: readonly Tag[]): void {
  writer.gap(writer.isIndented ? 1 : 2);
  for (const [i, item] of items.entries()) {
    const number = ordered ? `${Number(start === "" ? 1 : start) + i}. ` : "";
    writer.say(number + (item.task ? box(item) : ordered ? "" : "• "), tags);
    const content = item.tokens.filter(({ type }) => type !== "checkbox");
    writer.indented(" ".repeat(ordered ? 3 : 2), () => writeBlocks(writer, content, tags));
    writer.gapExactly(loose ? 2 : 1);
  }
  writer.gap(writer.isIndented ? 1 : 2);
}

function box({ checked }: Tokens.ListItem): string {
  return checked ? "☑ " : "☐ ";
}

// ── tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What fits on a phone without a wrapped line. */
const WIDEST_TABLE = 38;

function table(writer: Writer, token: Tokens.Table, tags: readonly Tag[]): void {
  const rows = [token.header, ...token.rows].map((row) => row.map(plainCell));
  const widths = token.header.map((_, i) => Math.max(...rows.map((row) => length(row[i] ?? ""))));
  const width = widths.reduce((sum, w) => sum + w + 3, -3);
  // Links would be lost in a drawing.
  const drawable = width <= WIDEST_TABLE && !token.rows.flat().some(({ tokens }) => hasLink(tokens));
  if (drawable) code(writer, drawing(rows, widths), "", tags);
  else for (const row of token.rows) rowGroup(writer, token.header, row, tags);
}

function drawing([header = [], ...rows]: string[][], widths: readonly number[]): string {
  const draw = (row: readonly string[]) =>
    widths
      .map((width, i) => pad(row[i] ?? "", width))
      .join(" │ ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  return [draw(header), rule, ...rows.map(draw)].join("\n");
}

/** One group of lines for each row, named by its first cell. */
function rowGroup(
  writer: Writer,
  header: readonly Tokens.TableCell[],
  [first, ...cells]: readonly Tokens.TableCell[],
  tags: readonly Tag[],
): void {
  writer.gap(2);
  if (first) writer.sayAll(inline(first.tokens, [...tags, bold()]));
  for (const [i, cell] of cells.entries()) {
    if (plainCell(cell) === "") continue;
    writer.gap(1);
    writer.say("• ", tags);
    writer.sayAll(inline(header[i + 1]?.tokens ?? [], tags));
    writer.say(": ", tags);
    writer.sayAll(inline(cell.tokens, tags));
  }
  writer.gap(2);
}

function plainCell({ tokens }: Tokens.TableCell): string {
  return toText(inline(tokens, [])).replace(/\s+/g, " ").trim();
}

function hasLink(tokens: readonly Token[]): boolean {
  return tokens.some(
    (token) => token.type === "link" || token.type === "image" || hasLink(innerTokens(token)),
  );
}

function innerTokens(token: Token): readonly Token[] {
  return "tokens" in token ? (token.tokens ?? []) : [];
}

function length(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - length(text)));
}
