/** Extensions of `marked`: maths and footnotes. Each becomes an element that `draw.ts` enhances. */
import type { MarkedExtension, TokenizerAndRendererExtension } from "marked";
import { escapeHtml } from "./escape.js";

const MAX_CHARS = 2000;

function maths(
  name: string,
  level: "block" | "inline",
  starts: readonly string[],
  read: (source: string) => { raw: string; tex: string; display: boolean } | undefined,
): TokenizerAndRendererExtension {
  return {
    name,
    level,
    start: (source) => (level === "block" ? firstLine(source, starts) : firstOf(source, starts)),
    tokenizer: (source) => {
      const found = read(source);
      return found && { type: name, ...found };
    },
    renderer: (token) => {
      const { tex, display } = token as unknown as { tex: string; display: boolean };
      const tag = level === "block" ? "div" : "span";
      return `<${tag} class="maths"${display ? ' data-display="1"' : ""}>${escapeHtml(tex)}</${tag}>`;
    },
  };
}

function firstOf(source: string, starts: readonly string[]): number | undefined {
  const found = starts.map((start) => source.indexOf(start)).filter((index) => index >= 0);
  return found.length > 0 ? Math.min(...found) : undefined;
}

/** Blocks start at the beginning of a line, so a mark inside a line doesn't end the paragraph. */
function firstLine(source: string, starts: readonly string[]): number | undefined {
  const before = firstOf(
    source,
    starts.map((start) => `\n${start}`),
  );
  return before === undefined ? undefined : before + 1;
}

/** The text between two marks, unless it is long or empty. */
function between(source: string, open: string, close: string): { raw: string; tex: string } | undefined {
  if (!source.startsWith(open)) return undefined;
  const end = source.slice(0, MAX_CHARS).indexOf(close, open.length);
  const tex = end < 0 ? "" : source.slice(open.length, end);
  return tex.trim() === "" ? undefined : { raw: source.slice(0, end + close.length), tex };
}

/** `$x$`, but not "$5 and $10": no space just inside the marks, no word character after them. */
function inDollars(source: string): { raw: string; tex: string } | undefined {
  const found = between(source, "$", "$");
  if (!found || /^\s|\s$|\n\n/.test(found.tex)) return undefined;
  return /^[\w$]/.test(source.slice(found.raw.length)) ? undefined : found;
}

const display = (found: { raw: string; tex: string } | undefined) => found && { ...found, display: true };
const within = (found: { raw: string; tex: string } | undefined) => found && { ...found, display: false };

const blockMaths = maths("blockMaths", "block", ["$$", "\\["], (source) =>
  display(between(source, "$$", "$$") ?? between(source, "\\[", "\\]")),
);
const inlineMaths = maths("inlineMaths", "inline", ["$", "\\("], (source) => {
  const wide = between(source, "$$", "$$");
  if (wide) return display(wide);
  return within(between(source, "\\(", "\\)") ?? inDollars(source));
});

const footnoteMark: TokenizerAndRendererExtension = {
  name: "footnoteMark",
  level: "inline",
  start: (source) => firstOf(source, ["[^"]),
  tokenizer: (source) => {
    const found = /^\[\^([\w-]{1,40})\]/.exec(source);
    return found ? { type: "footnoteMark", raw: found[0], label: found[1] } : undefined;
  },
  renderer: ({ label }) =>
    `<sup><a class="footnote-mark" href="#" data-note="${label}" aria-label="Footnote ${label}">${label}</a></sup>`,
};

const footnote: TokenizerAndRendererExtension = {
  name: "footnote",
  level: "block",
  start: (source) => firstLine(source, ["[^"]),
  tokenizer(source) {
    const found = /^\[\^([\w-]{1,40})\]:[ \t]([^\n]{1,4000})(?:\n|$)/.exec(source);
    if (!found) return undefined;
    return {
      type: "footnote",
      raw: found[0],
      label: found[1],
      tokens: this.lexer.inlineTokens(found[2]!.trim()),
    };
  },
  renderer(token) {
    const { label } = token as unknown as { label: string };
    const text = this.parser.parseInline(token.tokens ?? []);
    return `<p class="footnote" data-footnote="${label}"><sup>${label}</sup> ${text}</p>`;
  },
};

export const EXTENSIONS: MarkedExtension = { extensions: [blockMaths, inlineMaths, footnote, footnoteMark] };
