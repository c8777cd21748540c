/** Markdown → Slack's mrkdwn, split after rendering. Pure. */
import type { Token, Tokens } from "marked";
import { decodeEntities } from "../entities.js";
import { tokensOf } from "../markdown.js";
import { isWild } from "../wild-markdown.js";
import { type Around, type Atom, atomsOf, type Mark, newline, PLAIN, settleSpaces, solid } from "./atoms.js";
import { type Part, type SplitShape, splitAtoms } from "./split.js";
import { tableLines } from "./table.js";

/** Longest message that Slack takes without trouble (measured: refused from about 13,200). */
export const LONGEST_MESSAGE = 12_000;

export function render(markdown: string, shape: Partial<SplitShape> = {}): Part[] {
  const text = markdown.replaceAll("\0", "");
  const whole = { limit: LONGEST_MESSAGE, marker: true, ...shape };
  const parts = splitAtoms(rendered(text), whole);
  // Nothing but link definitions, say: better the source than nothing.
  return parts.length > 0 ? parts : splitAtoms(atomsOf(text, PLAIN), whole);
}

function rendered(text: string): Atom[] {
  if (isWild(text)) return atomsOf(text, PLAIN);
  try {
    return settleSpaces(blocks(tokensOf(text), PLAIN));
  } catch {
    // Nested deeper than the stack: still words.
    return atomsOf(text, PLAIN);
  }
}

// --- blocks -------------------------------------------------------------------------------------------------------

function blocks(tokens: readonly Token[], around: Around, between = 2): Atom[] {
  const out: Atom[] = [];
  for (const token of tokens) {
    const rendered = block(token, around);
    if (rendered.length === 0) continue;
    if (out.length > 0) for (let i = 0; i < between; i++) out.push(newline(around));
    // One by one: a long document is more than a call takes as arguments.
    for (const atom of rendered) out.push(atom);
  }
  return out;
}

function block(token: Token, around: Around): Atom[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return inline(token.tokens ?? [], marked(around, "*"));
    case "code":
      return code((token as Tokens.Code).text, around);
    case "blockquote":
      return blocks(token.tokens ?? [], { ...around, quote: true });
    case "list":
      return list(token as Tokens.List, around, 0);
    case "table":
      return code(tableLines(token as Tokens.Table, plain).join("\n"), around);
    case "hr":
      return atomsOf("──────────", around);
    case "html":
      return atomsOf(token.raw.trimEnd().replace(/<br\s*\/?>/gi, "\n"), around);
    default:
      return inner(token) ? inline(inner(token)!, around) : atomsOf(textOf(token), around);
  }
}

/** A fence stands by itself: a quote around it would show its marks. */
function code(text: string, around: Around): Atom[] {
  const body = text.replaceAll("```", "``\u200b`");
  return atomsOf(body === "" ? " " : body, { ...around, marks: [], pre: true });
}

const BULLETS = ["•", "◦", "▪"];

function list(token: Tokens.List, around: Around, depth: number): Atom[] {
  const first = typeof token.start === "number" ? token.start : 1;
  const items = token.items.map((item, i) => {
    const bullet = token.ordered ? `${first + i}.` : BULLETS[Math.min(depth, BULLETS.length - 1)]!;
    const box = item.task ? (item.checked ? "☑ " : "☐ ") : "";
    return [
      ...atomsOf(`${"    ".repeat(depth)}${bullet} ${box}`, plainText(around)),
      ...listItem(item, around, depth),
    ];
  });
  return items.flatMap((item, i) => (i === 0 ? item : [newline(around), ...item]));
}

function listItem(item: Tokens.ListItem, around: Around, depth: number): Atom[] {
  const out: Atom[] = [];
  for (const token of item.tokens) {
    if (token.type === "checkbox") continue;
    const nested = token.type === "list";
    const rendered = nested ? list(token as Tokens.List, around, depth + 1) : block(token, around);
    if (rendered.length === 0) continue;
    if (out.length > 0) out.push(newline(around));
    for (const atom of rendered) out.push(atom);
  }
  return out;
}

// --- inside a line ------------------------------------------------------------------------------------------------

function inline(tokens: readonly Token[], around: Around): Atom[] {
  return tokens.flatMap((token) => inlineOne(token, around));
}

function inlineOne(token: Token, around: Around): Atom[] {
  switch (token.type) {
    case "strong":
      return inline(token.tokens ?? [], marked(around, "*"));
    case "em":
      return inline(token.tokens ?? [], marked(around, "_"));
    case "del":
      return inline(token.tokens ?? [], marked(around, "~"));
    case "codespan":
      return atomsOf(codeText(token as Tokens.Codespan), marked(around, "`"));
    case "checkbox":
      return [];
    case "escape":
      return atomsOf(`${(token as Tokens.Escape).text}${/[*_~`]/.test(token.raw) ? "\u200b" : ""}`, around);
    case "br":
      return [newline(around)];
    case "link":
      return link(decodeEntities((token as Tokens.Link).href), plain(token.tokens ?? []), around);
    case "image":
      return link(
        decodeEntities((token as Tokens.Image).href),
        (token as Tokens.Image).text || "image",
        around,
      );
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? [newline(around)] : atomsOf(token.raw, around);
    case "list":
    case "code":
    case "blockquote":
    case "table":
      return block(token, around);
    default:
      return inner(token)
        ? inline(inner(token)!, around)
        : atomsOf(literal(decodeEntities(textOf(token))), around);
  }
}

/** Slack has no other sign for a back-tick inside of code, nor code over several lines. */
function codeText({ text }: Tokens.Codespan): string {
  return text.replaceAll("`", "ˋ").replaceAll("\n", " ");
}

/** Stars and underscores that mean themselves get an unseen letter behind them, or Slack would format. */
function literal(text: string): string {
  return text.split("\n").map(literalLine).join("\n");
}

function literalLine(line: string): string {
  return line.replace(/[*_~`]/g, (mark, at: number) =>
    wouldFormat(line, mark, at) ? `${mark}\u200b` : mark,
  );
}

/** Not behind a letter or digit, not before a blank, and the same mark comes again. */
function wouldFormat(line: string, mark: string, at: number): boolean {
  const isBehindWord = /[\p{L}\p{N}]$/u.test(line.slice(Math.max(0, at - 2), at));
  return !isBehindWord && /\S/.test(line[at + 1] ?? " ") && line.includes(mark, at + 2);
}

function marked(around: Around, mark: Mark): Around {
  return around.marks.includes(mark) || around.marks.includes("`")
    ? around
    : { ...around, marks: [...around.marks, mark] };
}

function plainText(around: Around): Around {
  return { ...around, marks: [] };
}

const LONGEST_URL = 1500;

function link(href: string, label: string, around: Around): Atom[] {
  const text = label.replace(/\s+/g, " ").trim();
  if (!/^(https?|mailto|tel):/i.test(href) || href.length > LONGEST_URL)
    return atomsOf(text === "" || text === href ? href : `${text} (${href})`, around);
  const url = href.replaceAll("&", "&amp;").replace(/[<>|\s]/g, (char) => encodeURIComponent(char));
  if (text === "" || text === href || `mailto:${text}` === href) return [solid(`<${url}>`, around)];
  return atomsOf(text, { ...around, link: url });
}

/** Without any markup: for labels and cells. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token): string => {
      if (token.type === "br") return " ";
      if (token.type === "link") return cellLink(token as Tokens.Link);
      if (token.type === "image") return (token as Tokens.Image).text || (token as Tokens.Image).href;
      if (inner(token)) return plain(inner(token)!);
      return token.type === "text" ? decodeEntities(textOf(token)) : textOf(token);
    })
    .join("");
}

function cellLink(token: Tokens.Link): string {
  const text = plain(token.tokens);
  return text === token.href || token.href === `mailto:${text}` ? text : `${text} (${token.href})`;
}

function inner(token: Token): Token[] | undefined {
  return "tokens" in token ? token.tokens : undefined;
}

function textOf(token: Token): string {
  if (token.type === "escape" || token.type === "text" || token.type === "codespan")
    return (token as Tokens.Text).text;
  return "text" in token && typeof token.text === "string" ? token.text : token.raw;
}
