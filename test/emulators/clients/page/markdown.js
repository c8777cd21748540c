/** Markdown → nodes, block by block. Text only ever becomes text nodes, so nothing in an answer can act. */
import { el } from "./dom.js";
import { inline } from "./inline.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^(\s*)([-*+•]|\d{1,9}[.)])(\s+|$)/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
/** Deeper nesting than this is no one's text. */
const DEEPEST = 12;

export function markdown(text) {
  return el("div", "body md", ...blocks(text.replaceAll("\r\n", "\n").split("\n"), 0));
}

function blocks(lines, depth) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const [node, next] = block(lines, at, depth);
    if (node) nodes.push(node);
    at = next;
  }
  return nodes;
}

/** The block that begins at this line, and the line after it. */
function block(lines, at, depth) {
  const line = lines[at];
  if (line.trim() === "") return [undefined, at + 1];
  if (FENCE.test(line)) return fence(lines, at);
  if (HEADING.test(line)) return [heading(line), at + 1];
  if (RULE.test(line)) return [el("hr"), at + 1];
  if (isTable(lines, at)) return table(lines, at);
  if (depth < DEEPEST && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < DEEPEST && ITEM.test(line)) return list(lines, at, depth);
  return paragraph(lines, at);
}

function startsBlock(lines, at) {
  const line = lines[at];
  return (
    [FENCE, HEADING, RULE, QUOTE].some((start) => start.test(line)) || isItem(line) || isTable(lines, at)
  );
}

/** "1984. That year" inside a paragraph begins no list. */
function isItem(line) {
  const marker = ITEM.exec(line)?.[2];
  return marker !== undefined && (!/^\d/.test(marker) || Number.parseInt(marker, 10) === 1);
}

function fence(lines, at) {
  const [, marker] = FENCE.exec(lines[at]);
  const isEnd = (line) => line.trim().startsWith(marker) && line.trim().replaceAll(marker[0], "") === "";
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end])) end += 1;
  const pre = el("pre", "", el("code", "", lines.slice(at + 1, end).join("\n")));
  // It scrolls sideways, so the keyboard must reach it.
  pre.tabIndex = 0;
  return [pre, end + 1];
}

/** The page has its own h1 and h2. */
function heading(line) {
  const [, marks, text] = HEADING.exec(line);
  return el(`h${Math.min(6, marks.length + 2)}`, "", ...inline(text));
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [el("blockquote", "", ...blocks(inner, depth + 1)), end];
}

function list(lines, start, depth) {
  const [, indent, firstMarker] = ITEM.exec(lines[start]);
  const isOrdered = /^\d/.test(firstMarker);
  const items = [];
  let at = start;
  while (at < lines.length) {
    const match = ITEM.exec(lines[at]);
    if (!match || match[1].length > indent.length + 1 || /^\d/.test(match[2]) !== isOrdered) break;
    if (match[1].length < indent.length) break;
    const end = itemEnd(lines, at, match);
    items.push(item(lines.slice(at, end), match, depth));
    at = end;
    // A blank line between two items is no end of the list.
    if (lines[at]?.trim() === "" && ITEM.exec(lines[at + 1] ?? "")?.[1].length === indent.length) at += 1;
  }
  const node = el(isOrdered ? "ol" : "ul", "", ...items);
  if (isOrdered && firstMarker !== "1.") node.start = Number.parseInt(firstMarker, 10);
  return [node, at];
}

/** An item goes on with what is indented under it, and with a line that merely wraps. */
function itemEnd(lines, at, [, indent]) {
  let end = at + 1;
  while (end < lines.length) {
    const line = lines[end];
    const isInside = /^\s*/.exec(line)[0].length > indent.length + 1;
    if (line.trim() === "") {
      const next = lines[end + 1] ?? "";
      if (next.trim() === "" || /^\s*/.exec(next)[0].length <= indent.length + 1) break;
    } else if (!isInside && (ITEM.test(line) || startsBlock(lines, end) || lines[end - 1].trim() === ""))
      break;
    end += 1;
  }
  return end;
}

function item(lines, match, depth) {
  const width = match[0].length;
  const first = lines[0].slice(width);
  const rest = lines.slice(1).map((line) => line.replace(new RegExp(`^\\s{0,${width}}`), ""));
  const nodes = blocks([first, ...rest], depth + 1);
  // A one-line item needs no paragraph around it.
  const lead = nodes[0]?.nodeName === "P" ? [...nodes.shift().childNodes] : [];
  return el("li", "", ...lead, ...nodes);
}

function isTable(lines, at) {
  const divider = lines[at + 1] ?? "";
  if (!lines[at].includes("|") || !DIVIDER.test(divider)) return false;
  return cells(divider).length === cells(lines[at]).length;
}

function table(lines, at) {
  const aligns = cells(lines[at + 1]).map((cell) => {
    if (!cell.endsWith(":")) return "";
    return cell.startsWith(":") ? "center" : "right";
  });
  const row = (line, tag) => {
    const given = cells(line);
    return el("tr", "", ...aligns.map((align, i) => el(tag, align, ...inline(given[i] ?? ""))));
  };
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  const node = el("table", "", el("thead", "", row(lines[at], "th")), el("tbody", "", ...body));
  return [el("div", "table", node), end];
}

function cells(line) {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== "" && !startsBlock(lines, end)) end += 1;
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join("\n");
  return [el("p", "", ...inline(text)), end];
}
