/**
 * Runs → parts whose HTML is within the limit. Cut at a line, else at a space, else between two characters as a reader
 * counts them; a fence that a cut goes through is opened again, for its tag simply goes on. Pure.
 */

import { graphemes } from "../../graphemes.js";
import { cutRuns, escapedLength, htmlLength, openingCost, type Run, type Tag, toText } from "./runs.js";

/** Room for " (99/99)" and a little more, as `splitText` keeps it. */
const MARKER_ROOM = 10;

/** With "(2/5)" at the end of each part where there are several, and with some room to spare in each of them. */
export function splitRuns(runs: readonly Run[], limit: number, spare = 0): Run[][] {
  if (htmlLength(runs) <= limit) return [[...runs]];
  for (let room = MARKER_ROOM; ; room++) {
    const parts = cutIntoParts(runs, limit - spare - room);
    const marker = (i: number) => ` (${i + 1}/${parts.length})`;
    if (marker(parts.length - 1).length > room) continue;
    return parts.length === 1 ? parts : parts.map((part, i) => [...part, { text: marker(i), tags: [] }]);
  }
}

/** The same without markers. */
export function cutIntoParts(runs: readonly Run[], limit: number): Run[][] {
  const parts: Run[][] = [];
  /** The last one comes first: what is taken is taken from the end. */
  const rest = runs.toReversed();
  while (rest.length > 0) {
    const next = takeEnough(rest, limit);
    if (htmlLength(next) <= limit) {
      parts.push(next);
      break;
    }
    const cut = findCut(next, limit);
    if (cut === 0) {
      putBack(withoutFirstTags(next), rest);
      continue;
    }
    const [head, tail] = cutRuns(next, cut);
    const part = trimmedEnd(head);
    // Telegram refuses an empty message.
    if (toText(part).trim() !== "") parts.push(part);
    putBack(tail, rest);
    trimStart(rest);
  }
  return parts;
}

/** More than fits into a part, with what a cut looks at behind it; or all there is. Each part looks at no more than that. */
function takeEnough(reversed: Run[], limit: number): Run[] {
  const taken: Run[] = [];
  let room = limit + 2 * CLUSTER_REACH;
  for (let run = reversed.pop(); run !== undefined; run = reversed.pop()) {
    const [[head], [tail]] = cutRuns([run], wholePoint(run.text, room));
    if (head) taken.push(head);
    if (tail) reversed.push(tail);
    room -= head?.text.length ?? 0;
    if (tail || room <= 0) break;
  }
  return taken;
}

function putBack(runs: readonly Run[], reversed: Run[]): void {
  for (const run of runs.toReversed()) reversed.push(run);
}

interface Breaks {
  newline: number;
  space: number;
}

/** Where the first part ends; 0: its tags alone are too long. */
function findCut(runs: readonly Run[], limit: number): number {
  let size = 0;
  let at = 0;
  let open: readonly Tag[] = [];
  const breaks: Breaks = { newline: 0, space: 0 };
  for (const { text, tags } of runs) {
    size += openingCost(open, tags);
    open = tags;
    for (const point of text) {
      noteBreak(breaks, point, at, tags);
      size += escapedLength(point);
      if (size > limit) return chooseCut(toText(runs), at, breaks);
      at += point.length;
    }
  }
  return at;
}

function noteBreak(breaks: Breaks, point: string, at: number, tags: readonly Tag[]): void {
  if (point === "\n") breaks.newline = at;
  // A space in code is part of it; elsewhere it may go.
  else if (point === " " && !isCode(tags)) breaks.space = at;
}

function chooseCut(text: string, end: number, { newline, space }: Breaks): number {
  if (newline > 0 && newline >= end / 2) return newline;
  const best = Math.max(newline, space);
  return best > 0 && text.slice(0, best).trim() !== "" ? best : hardCut(text, end);
}

/** Only the longest emoji sequences come near it. */
const CLUSTER_REACH = 64;

/** Not between an emoji and its skin tone, if the part keeps anything then. */
function hardCut(text: string, end: number): number {
  const from = wholePoint(text, Math.max(0, end - CLUSTER_REACH));
  const around = text.slice(from, end + CLUSTER_REACH);
  const cluster = graphemes(around).containing(end - from);
  const start = from + (cluster?.index ?? end - from);
  return start > 0 ? start : end;
}

/** Not in the middle of a surrogate pair. */
function wholePoint(text: string, at: number): number {
  return at > 0 && /[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at;
}

function isCode(tags: readonly Tag[]): boolean {
  return tags.some(({ kind }) => kind === "code" || kind === "pre");
}

/** Code keeps its spaces; between other words a cut needs none. */
function trimmedEnd(runs: readonly Run[]): Run[] {
  const kept = [...runs];
  for (let last = kept.at(-1); last && !isCode(last.tags); last = kept.at(-1)) {
    const text = last.text.trimEnd();
    kept.pop();
    if (text === "") continue;
    kept.push({ ...last, text });
    break;
  }
  return kept;
}

function trimStart(reversed: Run[]): void {
  for (let first = reversed.pop(); first; first = reversed.pop()) {
    const code = isCode(first.tags);
    // The line break that the cut was made at; the next line's indentation stays.
    const text = code ? first.text.replace(/^\n/, "") : first.text.trimStart();
    if (text !== "") reversed.push({ ...first, text });
    if (text !== "" || code) break;
  }
}

/** Tags that leave no room for text: the text matters more. */
function withoutFirstTags([first, ...rest]: readonly Run[]): Run[] {
  return first!.tags.length > 0
    ? [{ text: first!.text, tags: [] }, ...rest]
    : // Not even one character has room: no limit of a platform is that small.
      rest;
}
