/** Markdown → what Discord's Markdown can say, in messages within its limit. Pure. */
import type { Token, Tokens } from "marked";
import { tokensOf } from "../markdown.js";
import { previewStart } from "../preview.js";
import { splitText } from "../text.js";
import { isWild } from "../wild-markdown.js";
import { inlineRuns, plainText } from "./inline.js";
import { type Fence, type Line, packLines } from "./pack.js";
import { tableLines } from "./table.js";

/** Discord counts characters; counting UTF-16 units is never too few. */
export const LIMIT = 2000;
/** Room for "\n(99/99)" and a little more. */
const MARKER_ROOM = 12;
const INFO_MAX = 30;
const RULE = "⎯⎯⎯⎯⎯⎯⎯⎯";

/** Where a block stands: in a list, in a quote. */
interface Place {
  lead: string;
  hang: string;
}

const TOP: Place = { lead: "", hang: "" };

/** The messages; several say "(2/5)" at their end. */
export function renderParts(text: string, limit = LIMIT): string[] {
  const lines = linesOf(text);
  const whole = packLines(lines, limit);
  if (whole.length <= 1) return whole;
  const parts = packLines(lines, limit - MARKER_ROOM);
  return parts.map((part, i) => withMarker(part, `(${i + 1}/${parts.length})`));
}

/** Behind a preview that is longer than a message. */
export const CUT_OFF = "\n…";

/** What fits into one message, for a preview. */
export function renderPreview(text: string, limit = LIMIT): string {
  const [first = "", ...more] = packLines(linesOf(previewStart(text)), limit - CUT_OFF.length);
  return more.length === 0 ? first : first + CUT_OFF;
}

/** After a code block on a line of its own: on the block's last line it would belong to it. */
function withMarker(part: string, marker: string): string {
  return `${part}${part.endsWith("```") ? "\n" : " "}${marker}`;
}

function linesOf(text: string): Line[] {
  const clean = text.replaceAll("\0", "").replaceAll("\r\n", "\n");
  if (isWild(clean)) return asItIs(clean);
  try {
    const lines = blockLines(tokensOf(clean), TOP);
    // Nothing but link definitions, say: better the source than nothing.
    return lines.some(({ runs }) => runs.length > 0) ? lines : plainLines(clean, TOP);
  } catch {
    return asItIs(clean);
  }
}

/** A text that can't be understood. */
function asItIs(text: string): Line[] {
  const parts = splitText(text, { limit: LIMIT / 2, unit: "utf16", marker: false });
  return parts.flatMap((part) => plainLines(part, TOP));
}

function blockLines(tokens: readonly Token[], place: Place): Line[] {
  let lead = place.lead;
  return tokens.flatMap((token) => {
    const lines = oneBlock(token, { lead, hang: place.hang });
    // Only the first block of a list item stands behind the bullet.
    if (lines.length > 0) lead = place.hang;
    return lines;
  });
}

function oneBlock(token: Token, place: Place): Line[] {
  switch (token.type) {
    case "space":
      return place.lead === place.hang ? [blank(place)] : [];
    case "heading":
      return headingLines(token as Tokens.Heading, place);
    case "code":
      return codeLines(token.text as string, (token as Tokens.Code).lang ?? "", place);
    case "blockquote":
      return quoteLines(token as Tokens.Blockquote, place);
    case "list":
      return listLines(token as Tokens.List, place);
    case "table":
      return tableLines(token as Tokens.Table, (code) => codeLines(code, "", place), place);
    case "hr":
      return plainLines(RULE, place);
    case "def":
      return [];
    case "html":
      return plainLines(token.raw.trimEnd(), place);
    default:
      return textLines(token, place);
  }
}

function textLines(token: Token, place: Place, marks: readonly string[] = []): Line[] {
  const inline = "tokens" in token && token.tokens ? token.tokens : undefined;
  if (!inline) return plainLines(token.raw.trimEnd(), place);
  return inlineRuns(inline, marks).map((runs, i) => ({
    lead: i === 0 ? place.lead : place.hang,
    hang: place.hang,
    runs,
  }));
}

/** Discord has three sizes; below them, bold. */
function headingLines(token: Tokens.Heading, place: Place): Line[] {
  if (token.depth > 3) return textLines(token, place, ["**"]);
  const lead = `${place.lead}${"#".repeat(token.depth)} `;
  return textLines(token, { lead, hang: place.hang });
}

/** A block that holds three back-ticks would end there: an invisible character keeps them apart. */
function codeLines(code: string, info: string, place: Place): Line[] {
  const prefix = place.hang.startsWith(">") ? "> " : "";
  const fence: Fence = { info: info.split(/\s/, 1)[0]!.replaceAll("`", "").slice(0, INFO_MAX), prefix };
  const lines = code.replaceAll("```", "`\u200b`\u200b`").split("\n");
  const coded = lines.map((text): Line => {
    const runs = text === "" ? [] : [{ text, marks: [] }];
    return { lead: prefix, hang: prefix, runs, fence };
  });
  const bullet = place.lead !== place.hang ? plainLines("", place) : [];
  return [...bullet, ...coded];
}

/** Discord knows one level of quotes. */
function quoteLines(token: Tokens.Blockquote, place: Place): Line[] {
  const inner = place.hang.startsWith(">") ? place : { lead: `> ${place.lead}`, hang: "> " };
  return blockLines(token.tokens, inner);
}

function listLines(list: Tokens.List, place: Place): Line[] {
  const start = typeof list.start === "number" ? list.start : 1;
  return list.items.flatMap((item, i) => {
    const bullet = list.ordered ? `${start + i}. ` : "- ";
    const box = item.task ? (item.checked ? "☑ " : "☐ ") : "";
    const lead = `${i === 0 ? place.lead : place.hang}${bullet}${box}`;
    const hang = `${place.hang}${list.ordered ? "   " : "  "}`;
    const lines = blockLines(
      item.tokens.filter(({ type }) => type !== "checkbox"),
      { lead, hang },
    );
    return lines.length > 0 ? lines : plainLines("", { lead, hang });
  });
}

function plainLines(text: string, place: Place): Line[] {
  return text.split("\n").map((line, i) => ({
    lead: i === 0 ? place.lead : place.hang,
    hang: place.hang,
    runs: line === "" ? [] : [{ text: plainText(line), marks: [] }],
  }));
}

function blank(place: Place): Line {
  return { lead: place.hang.startsWith(">") ? "> " : "", hang: "", runs: [] };
}
