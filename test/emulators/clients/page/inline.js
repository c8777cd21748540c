/** Markdown inside a line → nodes: code, bold, italic, struck out, links. */
import { el } from "./dom.js";

/** No mark reaches further than 2,000 characters, so that a text full of lone marks isn't searched over and over. */
const RULES = [
  { pattern: /\\([\\`*_{}[\]()#+\-.!~|<>])/g, make: (m) => m[1] },
  { pattern: /(`{1,5})(?!`)([\s\S]{0,2000}?[^`])\1(?!`)/g, make: (m) => el("code", "", codeText(m[2])) },
  {
    pattern:
      /!?\[([^\]\n]{0,1000})\]\(\s*<?([^\s()<>]{0,2000}(?:\([^\s()]{0,200}\)[^\s()<>]{0,200})?)>?(?:\s+"[^"\n]{0,300}")?\s*\)/g,
    make: ([, label, address]) => anchor(address, () => inline(label || address)),
  },
  { pattern: /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/g, make: (m) => anchor(m[1], () => [m[1]]) },
  { pattern: /\*\*(?=\S)([\s\S]{0,2000}?\S)\*\*(?!\*)/g, make: (m) => el("strong", "", ...inline(m[1])) },
  {
    pattern: /(?<![\p{L}\p{N}_])__(?=\S)([\s\S]{0,2000}?\S)__(?![\p{L}\p{N}_])/gu,
    make: (m) => el("strong", "", ...inline(m[1])),
  },
  { pattern: /~~(?=\S)([\s\S]{0,2000}?\S)~~/g, make: (m) => el("s", "", ...inline(m[1])) },
  { pattern: /\*(?=[^\s*])([^*]{0,2000}?[^\s*])\*(?!\*)/g, make: (m) => el("em", "", ...inline(m[1])) },
  {
    pattern: /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]{0,2000}?[^\s_])_(?![\p{L}\p{N}_])/gu,
    make: (m) => el("em", "", ...inline(m[1])),
  },
  { pattern: /https?:\/\/[^\s<>"'`]{1,2000}[^\s<>"'`.,;:!?)\]*_]/g, make: (m) => anchor(m[0], () => [m[0]]) },
];

/** The earliest rule that matches wins; at the same place, the first in the list. */
export function inline(text) {
  const nodes = [];
  const ahead = RULES.map(() => undefined);
  let at = 0;
  for (let found = nextMatch(text, at, ahead); found; found = nextMatch(text, at, ahead)) {
    const { match, make } = found;
    nodes.push(...plain(text.slice(at, match.index)), make(match) ?? match[0]);
    at = match.index + match[0].length;
  }
  return [...nodes, ...plain(text.slice(at))];
}

/** Each rule's next match is remembered: it is looked for again only when the text has moved past it. */
function nextMatch(text, at, ahead) {
  let best;
  for (const [i, { pattern, make }] of RULES.entries()) {
    if (ahead[i] === undefined || (ahead[i] !== null && ahead[i].index < at)) {
      pattern.lastIndex = at;
      ahead[i] = pattern.exec(text);
    }
    const match = ahead[i];
    if (match && (!best || match.index < best.match.index)) best = { match, make };
  }
  return best;
}

/** In a chat, a new line is meant as one. */
function plain(text) {
  if (text === "") return [];
  return text.split("\n").flatMap((line, i) => (i === 0 ? [line] : [el("br"), line]));
}

function codeText(text) {
  return text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "" ? text.slice(1, -1) : text;
}

/** Only addresses that can't run anything; others stay the text that they were. */
function anchor(address, children) {
  if (!URL.canParse(address)) return undefined;
  if (!["http:", "https:", "mailto:"].includes(new URL(address).protocol)) return undefined;
  const a = el("a", "", ...children());
  a.href = address;
  a.rel = "noopener noreferrer";
  a.target = "_blank";
  return a;
}
