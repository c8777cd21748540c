/**
 * Long text → parts that a platform takes. Cut at a line, else at a space, else hard; not inside inline code if that can
 * be helped; a code fence that a cut goes through is closed and opened again; every part says "(2/5)".
 */
import { HermesError } from "../errors.js";
import { graphemes } from "../graphemes.js";

export interface SplitOptions {
  limit: number;
  /** What the platform counts. */
  unit: "codepoint" | "utf16";
  /** Say "(i/n)" at the end of each part; on unless told otherwise. */
  marker?: boolean;
}

const FENCE = "```";
const FENCE_CLOSE = `\n${FENCE}`;
/** Room for " (99/99)" and a little more; the vectors were made with this number. */
const MARKER_ROOM = 10;
/** Below this much room for text, markers and fences would leave nothing for the text itself. */
const LEAST_BODY = 4;

export function splitText(text: string, options: SplitOptions): string[] {
  const { limit, unit, marker = true } = options;
  if (!(limit >= 1)) throw new HermesError("invalid", `A text limit must be at least 1, not ${limit}`);
  const measured = new MeasuredText(text, unit);
  if (measured.units(0, measured.length) <= limit) return [text];
  if (limit < MARKER_ROOM + 2 * FENCE_CLOSE.length + LEAST_BODY) {
    return cutIntoParts(measured, { room: limit, fences: false });
  }
  return marker ? markedParts(measured, limit) : cutIntoParts(measured, { room: limit, fences: true });
}

function markedParts(text: MeasuredText, limit: number): string[] {
  let markerRoom = MARKER_ROOM;
  for (;;) {
    const parts = cutIntoParts(text, { room: limit - markerRoom, fences: true });
    const total = parts.length;
    const longestMarker = ` (${total}/${total})`.length;
    if (longestMarker <= markerRoom)
      return total === 1 ? parts : parts.map((part, i) => `${part} (${i + 1}/${total})`);
    // A thousand parts need a wider marker, and that may mean still more parts.
    markerRoom = longestMarker;
  }
}

interface Shape {
  /** What a part may measure before its marker. */
  room: number;
  fences: boolean;
}

/** The text as code points, so that no cut can fall into one, with its length in the platform's unit. */
class MeasuredText {
  readonly points: readonly string[];
  readonly #unit: SplitOptions["unit"];
  readonly #unitsBefore: Uint32Array;

  constructor(text: string, unit: SplitOptions["unit"]) {
    this.#unit = unit;
    this.points = Array.from(text);
    this.#unitsBefore = new Uint32Array(this.points.length + 1);
    for (const [i, point] of this.points.entries()) {
      this.#unitsBefore[i + 1] = this.#unitsBefore[i]! + (unit === "utf16" ? point.length : 1);
    }
  }

  /** What another text measures on the same scale. */
  measure(other: string): number {
    return this.#unit === "utf16" ? other.length : Array.from(other).length;
  }

  get length(): number {
    return this.points.length;
  }

  units(from: number, to: number): number {
    return this.#unitsBefore[to]! - this.#unitsBefore[from]!;
  }

  slice(from: number, to: number): string {
    return this.points.slice(from, to).join("");
  }

  /** The end of the longest stretch from `from` within `units`; at least one code point, or nothing would move. */
  fit(from: number, units: number): number {
    let to = from + 1;
    while (to < this.length && this.units(from, to + 1) <= units) to++;
    return to;
  }

  /** The last place of `point` in [from, to), or -1. */
  last(point: string, from: number, to: number): number {
    for (let i = to - 1; i >= from; i--) if (this.points[i] === point) return i;
    return -1;
  }
}

function cutIntoParts(text: MeasuredText, shape: Shape): string[] {
  const parts: string[] = [];
  /** The language of the fence that the next part begins in. */
  let fence: string | undefined;
  for (let at = 0; at < text.length; ) {
    const prefix = fencePrefix(text, fence, shape);
    const prefixUnits = text.measure(prefix);
    if (prefixUnits + text.units(at, text.length) <= shape.room) {
      parts.push(prefix + text.slice(at, text.length));
      break;
    }
    const closeRoom = shape.fences ? FENCE_CLOSE.length : 0;
    const end = cutAt(text, at, text.fit(at, shape.room - prefixUnits - closeRoom));
    const body = text.slice(at, end);
    if (shape.fences) fence = fenceAfter(body, fence);
    // Platforms refuse an empty message.
    if (prefix !== "" || body.trim() !== "")
      parts.push(prefix + body + (fence === undefined ? "" : FENCE_CLOSE));
    at = skipBlank(text, end, fence !== undefined);
  }
  return parts;
}

/** The line that opens the fence again; without its language when that would leave too little room. */
function fencePrefix(text: MeasuredText, fence: string | undefined, shape: Shape): string {
  if (fence === undefined) return "";
  const prefix = `${FENCE}${fence}\n`;
  const body = shape.room - text.measure(prefix) - FENCE_CLOSE.length;
  return body < Math.max(1, Math.floor(shape.room / 4)) ? `${FENCE}\n` : prefix;
}

/** Where the part that begins at `from` ends, at `to` at the latest. */
function cutAt(text: MeasuredText, from: number, to: number): number {
  const size = to - from;
  let end = text.last("\n", from, to);
  if (end - from < Math.floor(size / 2)) end = text.last(" ", from, to);
  if (end <= from || text.slice(from, end).trim() === "") end = hardCut(text, from, to);
  end = beforeInlineCode(text, from, end, Math.floor(size / 4));
  return beforeFenceLine(text, from, end);
}

/** Enough to see that a cluster goes on; only the longest emoji sequences come near it. */
const CLUSTER_LOOKAHEAD = 32;

/** Not between an emoji and its skin tone, if the part keeps anything then. */
function hardCut(text: MeasuredText, from: number, to: number): number {
  if (isAscii(text.points[to - 1]) && isAscii(text.points[to])) return to;
  const before = text.slice(from, to);
  const around = before + text.slice(to, to + CLUSTER_LOOKAHEAD);
  const cluster = graphemes(around).containing(before.length);
  const kept = Array.from(around.slice(0, cluster?.index ?? before.length)).length;
  return kept > 0 ? from + kept : to;
}

function isAscii(point: string | undefined): boolean {
  return point === undefined || point < "\u0080";
}

/** An odd number of back-ticks before the cut: it falls into inline code. Cut before that code, if not too early. */
function beforeInlineCode(text: MeasuredText, from: number, end: number, least: number): number {
  const ticks: number[] = [];
  for (let i = from; i < end; i++) if (text.points[i] === "`" && text.points[i - 1] !== "\\") ticks.push(i);
  if (ticks.length % 2 === 0) return end;
  const code = ticks.at(-1)!;
  const safe = Math.max(text.last(" ", from, code), text.last("\n", from, code));
  return safe - from > least ? safe : end;
}

/** A fence line that is cut in two opens nothing and closes nothing: cut before it. */
function beforeFenceLine(text: MeasuredText, from: number, end: number): number {
  const newline = text.last("\n", from, end);
  if (newline <= from || end >= text.length || text.points[end] === "\n") return end;
  const line = text.slice(newline + 1, Math.min(text.length, end + FENCE.length));
  return line.trimStart().startsWith(FENCE) && text.slice(from, newline).trim() !== "" ? newline : end;
}

function fenceAfter(body: string, fenceBefore: string | undefined): string | undefined {
  let fence = fenceBefore;
  for (const line of body.split("\n").map((line) => line.trim())) {
    if (!line.startsWith(FENCE)) continue;
    fence = fence === undefined ? line.slice(FENCE.length).trim().split(/\s/, 1)[0]! : undefined;
  }
  return fence;
}

/** The next part begins at text; in code, at its line's indentation. */
function skipBlank(text: MeasuredText, from: number, inFence: boolean): number {
  let at = from;
  while (at < text.length && text.points[at]!.trim() === "") at++;
  const newline = text.last("\n", from, at);
  return inFence && newline >= 0 && at < text.length ? newline + 1 : at;
}
