/** Markdown inside a line → nodes: code, bold, italic, struck out, links. */
import { el } from "./dom.js";

const RULES = [
  { pattern: /\\([\\`*_{}[\]()#+\-.!~|<>])/, make: (m) => m[1] },
  { pattern: /(`+)(?!`)([\s\S]*?[^`])\1(?!`)/, make: (m) => el("code", "", codeText(m[2])) },
  {
    pattern: /!?\[([^\]\n]*)\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+"[^"\n]*")?\s*\)/,
    make: link,
  },
  { pattern: /<((?:https?:\/\/|mailto:)[^\s<>]+)>/, make: (m) => anchor(m[1], [m[1]]) },
  { pattern: /\*\*(?=\S)([\s\S]*?\S)\*\*(?!\*)/, make: (m) => el("strong", "", ...inline(m[1])) },
  {
    pattern: /(?<![\p{L}\p{N}_])__(?=\S)([\s\S]*?\S)__(?![\p{L}\p{N}_])/u,
    make: (m) => el("strong", "", ...inline(m[1])),
  },
  { pattern: /~~(?=\S)([\s\S]*?\S)~~/, make: (m) => el("s", "", ...inline(m[1])) },
  { pattern: /\*(?=[^\s*])([^*]*?[^\s*])\*(?!\*)/, make: (m) => el("em", "", ...inline(m[1])) },
  {
    pattern: /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]*?[^\s_])_(?![\p{L}\p{N}_])/u,
    make: (m) => el("em", "", ...inline(m[1])),
  },
  { pattern: /https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]]/, make: (m) => anchor(m[0], [m[0]]) },
];

/** The earliest rule that matches wins; at the same place, the first in the list. */
export function inline(text) {
  const nodes = [];
  let rest = text;
  while (rest !== "") {
    const found = earliest(rest);
    if (!found) break;
    const { match, make } = found;
    if (match.index > 0) nodes.push(...plain(rest.slice(0, match.index)));
    nodes.push(make(match));
    rest = rest.slice(match.index + match[0].length);
  }
  if (rest !== "") nodes.push(...plain(rest));
  return nodes;
}

function earliest(text) {
  let best;
  for (const { pattern, make } of RULES) {
    const match = pattern.exec(text);
    if (match && (!best || match.index < best.match.index)) best = { match, make };
  }
  return best;
}

/** In a chat, a new line is meant as one. */
function plain(text) {
  return text.split("\n").flatMap((line, i) => (i === 0 ? [line] : [el("br"), line]));
}

function codeText(text) {
  return text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "" ? text.slice(1, -1) : text;
}

function link(match) {
  const [whole, label, address] = match;
  return anchor(address, inline(label || address)) ?? whole;
}

/** Only addresses that can't run anything; others stay the text that they were. */
function anchor(address, children) {
  if (!URL.canParse(address) || !["http:", "https:", "mailto:"].includes(new URL(address).protocol))
    return undefined;
  const a = el("a", "", ...children);
  a.href = address;
  a.rel = "noopener noreferrer";
  a.target = "_blank";
  return a;
}
