/**
 * Lines → parts within a limit, measured with the platform's own cost function. A part ends with a line if it is at least half
 * full there, else at a space, else between two characters. Styles, quotes and blocks of code that a cut goes through
 * continue in the next part. Pure.
 */
import { type Mark, type Span, sharedDepth } from "./blocks.js";
import type { Dialect } from "./dialect.js";
import { graphemeStart, graphemesOf, pointStart } from "./graphemes.js";
import { isCode, type Line } from "./layout.js";
import { closing, opening } from "./write.js";

/** `roomOf` is the limit of the part with this index. */
export function splitLines(
  lines: readonly Line[],
  dialect: Dialect,
  roomOf: (index: number) => number,
): Line[][] {
  const splitter = new Splitter(dialect, roomOf);
  for (const line of lines) splitter.add(line);
  return splitter.end();
}

/** One line → lines that fit, for a terminal. */
export function wrapLine(line: Line, dialect: Dialect, width: number): Line[] {
  const lines: Line[] = [];
  const indent = dialect.cost(line.prefixes.join(""));
  const isNarrow = indent > width / 2;
  const room = Math.max(1, isNarrow ? width : width - indent);
  for (let rest: Line | undefined = isNarrow ? unframed(line) : line; rest; ) {
    const { end, isAll } = take(rest.spans, { left: room, whole: room, isFresh: true }, dialect);
    if (isAll) return [...lines, rest];
    const cut = lastSpace(rest.spans, end, room) ?? progress(rest.spans, end);
    lines.push({ ...rest, spans: before(rest.spans, cut) });
    rest = afterCut(rest, cut);
  }
  return lines;
}

/** A line without anything to see. */
export function isBlank({ prefixes, spans, isGap }: Line): boolean {
  if (spans.some(({ text }) => text.trim() !== "")) return false;
  return isGap === true || prefixes.join("").trim() === "";
}

class Splitter {
  readonly #dialect: Dialect;
  readonly #roomOf: (index: number) => number;
  readonly #parts: Line[][] = [];
  #part: Line[] = [];
  #used = 0;

  constructor(dialect: Dialect, roomOf: (index: number) => number) {
    this.#dialect = dialect;
    this.#roomOf = roomOf;
  }

  add(line: Line): void {
    let rest: Line | undefined = line;
    while (rest) rest = this.#place(rest);
  }

  end(): Line[][] {
    if (!this.#part.every(isBlank)) this.#parts.push(this.#part);
    return this.#parts;
  }

  /** Puts the line, or its beginning, into this part. Returns what is left of it. */
  #place(line: Line): Line | undefined {
    const isFirst = this.#part.length === 0;
    if (isFirst && isBlank(line)) return undefined;
    const room = this.#roomOf(this.#parts.length);
    const around = this.#costAround(line);
    if (isFirst && around > room / 2 && line.frames.length > 0) return unframed(line);
    const left = room - this.#used - around;
    const taken = take(line.spans, { left, whole: room, isFresh: isFirst }, this.#dialect);
    if (taken.isAll) {
      this.#push(line, around + taken.cost);
      return undefined;
    }
    if (!isFirst && (isBlank(line) || this.#used >= room / 2)) return this.#break(line);
    const space = isCode(line) ? undefined : lastSpace(line.spans, taken.end, room);
    if (!space && !isFirst) return this.#break(line);
    if (!space && isStart(taken.end) && line.spans[0]!.marks.length > 0) return unmarked(line);
    const cut = space ?? progress(line.spans, taken.end);
    this.#push({ ...line, spans: before(line.spans, cut) }, 0);
    return this.#break(afterCut(line, cut));
  }

  #push(line: Line, cost: number): void {
    this.#part.push(line);
    this.#used += cost;
  }

  /** Ends the part; the line comes into the next one. */
  #break(line?: Line): Line | undefined {
    while (this.#part.length > 0 && isBlank(this.#part.at(-1)!)) this.#part.pop();
    if (this.#part.length > 0) this.#parts.push(this.#part);
    this.#part = [];
    this.#used = 0;
    return line;
  }

  /** Of everything but its spans. Opened frames count with their end. */
  #costAround(line: Line): number {
    const last = this.#part.at(-1);
    const kept = last ? sharedDepth(last.frames, line.frames) : 0;
    const { cost } = this.#dialect;
    const ends = kept < line.frames.length ? cost(closing(line.frames, kept)) : 0;
    return (last ? cost("\n") : 0) + (line.frames.length > 0 ? cost(opening(line, kept)) : 0) + ends;
  }
}

/** A position in a list of spans. */
interface SpanPosition {
  span: number;
  at: number;
}

interface Taken {
  end: SpanPosition;
  isAll: boolean;
  cost: number;
}

interface Room {
  left: number;
  /** Of a part with nothing in it. */
  whole: number;
  /** Nothing is in this one. */
  isFresh: boolean;
}

/** As much as fits. Looks at little more than that. */
function take(spans: readonly Span[], { left, whole, isFresh }: Room, dialect: Dialect): Taken {
  let cost = 0;
  let open: readonly Mark[] = [];
  for (const [span, each] of spans.entries()) {
    const marked = cost + openingCost(open, each.marks, dialect);
    const measure = (text: string) => dialect.cost(dialect.escape(text, each));
    const at = fittingLength(each.text, left - marked, measure);
    if (at < each.text.length) {
      const moves = keepsTogether(each, whole) && !(isFresh && span === 0);
      return { end: { span, at: moves ? 0 : at }, isAll: false, cost };
    }
    cost = marked + measure(each.text);
    open = each.marks;
  }
  return { end: { span: spans.length, at: 0 }, isAll: cost <= left, cost };
}

/** What is opened has to be closed in the same part: both count at once. */
function openingCost(from: readonly Mark[], to: readonly Mark[], { cost, open, close }: Dialect): number {
  let sum = 0;
  for (let i = sharedDepth(from, to); i < to.length; i++) sum += cost(open(to[i]!)) + cost(close(to[i]!));
  return sum;
}

const STEP_CHARS = 64;

/** How many UTF-16 units of the text fit, in whole characters. */
function fittingLength(text: string, room: number, measure: (text: string) => number): number {
  if (room <= 0) return 0;
  // One character may cost several units, several characters none.
  if (text.length <= room && measure(text) <= room) return text.length;
  let at = 0;
  let used = 0;
  while (at < text.length) {
    const end = pointStart(text, at + STEP_CHARS);
    const cost = measure(text.slice(at, end));
    if (used + cost > room) break;
    used += cost;
    at = Math.min(end, text.length);
  }
  if (at === text.length) return at;
  for (const grapheme of graphemesOf(text.slice(at, at + 2 * STEP_CHARS))) {
    used += measure(grapheme);
    if (used > room) break;
    at += grapheme.length;
  }
  return graphemeStart(text, at);
}

const KEPT_TOGETHER: ReadonlySet<Mark["kind"]> = new Set(["code", "link", "label"]);

const MAX_KEPT_SHARE = 0.75;

/** Code and links are not cut, unless they take most of a message. */
function keepsTogether({ text, marks, solid, literal }: Span, room: number): boolean {
  return (
    (solid || literal || marks.some(({ kind }) => KEPT_TOGETHER.has(kind))) &&
    text.length <= room * MAX_KEPT_SHARE
  );
}

/** The last space up to that place. */
function lastSpace(spans: readonly Span[], end: SpanPosition, room: number): SpanPosition | undefined {
  for (let span = Math.min(end.span, spans.length - 1); span >= 0; span--) {
    const { text } = spans[span]!;
    let at = keepsTogether(spans[span]!, room)
      ? -1
      : text.lastIndexOf(" ", span === end.span ? end.at : text.length);
    while (at > 0 && text[at - 1] === " ") at--;
    if (at > 0 || (at === 0 && span > 0)) return { span, at };
  }
  return undefined;
}

/** At least one code point, however small the room. */
function progress(spans: readonly Span[], end: SpanPosition): SpanPosition {
  if (!isStart(end)) return end;
  const { text } = spans[0]!;
  return { span: 0, at: pointStart(text, 1) === 1 ? 1 : 2 };
}

function isStart({ span, at }: SpanPosition): boolean {
  return span === 0 && at === 0;
}

function before(spans: readonly Span[], { span, at }: SpanPosition): Span[] {
  const kept = spans.slice(0, span);
  if (at > 0) kept.push({ ...spans[span]!, text: spans[span]!.text.slice(0, at) });
  return kept;
}

/** The rest of a line. Spaces at the cut are dropped, but not in code. */
function afterCut({ frames, spans }: Line, { span, at }: SpanPosition): Line | undefined {
  const isKept = frames.at(-1)?.kind === "code";
  for (let i = span; i < spans.length; i++) {
    const rest = i === span ? spans[i]!.text.slice(at) : spans[i]!.text;
    const text = isKept ? rest : rest.trimStart();
    if (text === "") continue;
    const left = spans.slice(i);
    left[0] = { ...left[0]!, text };
    return { frames, prefixes: frames.map(({ prefix }) => prefix), spans: left };
  }
  return undefined;
}

/** For limits so small that the text matters more than its frames. */
function unframed(line: Line): Line {
  return { ...line, frames: [], prefixes: [] };
}

function unmarked({ spans, ...line }: Line): Line {
  const [first, ...rest] = spans;
  return { ...line, spans: [{ ...first!, marks: [] }, ...rest] };
}
