/** Inline Markdown → runs of text in one style, line by line. Pure. */
import type { Token, Tokens } from "marked";
import { decodeEntities } from "../entities.js";
import type { Run } from "./pack.js";

/** Up to this length a link or a piece of code is not cut. */
const ATOM_MAX = 400;

/** One list of runs a line. */
export function inlineRuns(tokens: readonly Token[], marks: readonly string[] = []): Run[][] {
  const lines: Run[][] = [[]];
  for (const run of tokens.flatMap((token) => runsOf(token, marks))) {
    const [first = "", ...more] = run.atom ? [run.text] : run.text.split("\n");
    if (first !== "") lines.at(-1)!.push({ ...run, text: first });
    for (const text of more) lines.push(text === "" ? [] : [{ ...run, text }]);
  }
  return lines;
}

function runsOf(token: Token, marks: readonly string[]): Run[] {
  switch (token.type) {
    case "strong":
      return styled(token as Tokens.Strong, marks, "**");
    case "em":
      return styled(token as Tokens.Em, marks, marks.includes("*") ? "_" : "*");
    case "del":
      return styled(token as Tokens.Del, marks, "~~");
    case "codespan":
      return [codeRun((token as Tokens.Codespan).text, marks)];
    case "link":
      return [linkRun(token as Tokens.Link, marks)];
    case "image":
      return [linkTo((token as Tokens.Image).text, decodeEntities((token as Tokens.Image).href), marks)];
    case "br":
      return [{ text: "\n", marks }];
    case "escape":
      return [{ text: token.raw, marks }];
    case "checkbox":
      return [];
    default:
      if ("tokens" in token && token.tokens) return token.tokens.flatMap((inner) => runsOf(inner, marks));
      return textRuns(token.raw, marks);
  }
}

/** A style within the same style says nothing new. */
function styled(token: { tokens?: Token[] }, marks: readonly string[], mark: string): Run[] {
  const inner = marks.includes(mark) ? marks : [...marks, mark];
  return (token.tokens ?? []).flatMap((child) => runsOf(child, inner));
}

function codeRun(text: string, marks: readonly string[]): Run {
  if (text.includes("`"))
    return { text: `\`\` ${text.replaceAll("``", "`\u200b`")} \`\``, marks, atom: true };
  return { text, marks: [...marks, "`"], atom: text.length <= ATOM_MAX };
}

function linkRun(link: Tokens.Link, marks: readonly string[]): Run {
  const text = inlineRuns(link.tokens)
    .map((runs) => runs.map((run) => run.text).join(""))
    .join(" ");
  return linkTo(text, decodeEntities(link.href), marks);
}

/** Discord makes links of web addresses only. */
function linkTo(text: string, href: string, marks: readonly string[]): Run {
  const label = text.replace(/[[\]]/g, "").trim();
  const address = href.replaceAll("(", "%28").replaceAll(")", "%29").replace(/\s/g, "%20");
  const web = /^(https?|discord):\/\//i.test(href);
  if (label === "" || label === href || `mailto:${label}` === href)
    return { text: label || href, marks, atom: true };
  // An address as a label is refused: it could lie.
  if (!web || /https?:\/\//i.test(label)) return { text: `${label} (${href})`, marks, atom: true };
  return { text: `[${label}](${address})`, marks, atom: true };
}

/** What Discord reads as one thing: mentions, emoji, timestamps, addresses. */
const ATOMS = /(<(?:@[!&]?|#|a?:\w+:|t:)[\w:]+>|https?:\/\/\S+)/;

function textRuns(raw: string, marks: readonly string[]): Run[] {
  return raw
    .split(ATOMS)
    .filter((piece) => piece !== "")
    .map((piece) =>
      ATOMS.test(piece) ? { text: piece, marks, atom: true } : { text: plainText(piece), marks },
    );
}

/** Marks of Discord's own that Markdown doesn't have: spoilers, small print. */
export function plainText(text: string): string {
  return decodeEntities(text).replaceAll("||", "\\|\\|").replace(/^-# /gm, "\\-# ");
}
