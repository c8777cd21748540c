/** Where boxes and arrows of a diagram are, in pixels: columns as wide as their widest box, rows as high as their highest. */
import type { Arrow, Box, Diagram } from "./parse.js";

export interface Placed extends Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedArrow extends Arrow {
  points: [x: number, y: number][];
  labelAt: [x: number, y: number];
}

export interface Drawing {
  width: number;
  height: number;
  boxes: Placed[];
  arrows: PlacedArrow[];
}

export const LINE_HEIGHT = 18;
const CHAR_WIDTH = 7.4;
export const NOTE_CHAR_WIDTH = 6.4;
const PADDING = { x: 14, y: 11 };
const GAP = { x: 36, y: 34 };
const MARGIN = 6;
/** Between a label and the ends of its arrow. */
const LABEL_ROOM = 26;

export function place(diagram: Diagram): Drawing {
  const { boxes, rows, arrows } = diagram;
  const columns = Math.max(...rows.map((row) => row.length));
  const at = cells(rows);
  const boxIn = (id: string | undefined) => (id === undefined ? undefined : boxes.get(id));
  const widths = Array.from({ length: columns }, (_, x) =>
    Math.max(0, ...rows.map((row) => widthOf(boxIn(row[x])))),
  );
  const heights = rows.map((row) => Math.max(0, ...row.map((id) => heightOf(boxIn(id)))));
  const gaps = Array.from({ length: columns - 1 }, (_, x) => gapAfter(x, arrows, at));
  const lefts = sums(widths, gaps);
  const tops = sums(heights, Array(heights.length - 1).fill(GAP.y));
  const placed = [...at].map(([id, [x, y]]): Placed => {
    const box = boxes.get(id)!;
    return { ...box, x: lefts[x]!, y: tops[y]!, width: widths[x]!, height: heights[y]! };
  });
  const byId = new Map(placed.map((box) => [box.id, box]));
  return {
    width: lefts.at(-1)! + widths.at(-1)! + MARGIN,
    height: tops.at(-1)! + heights.at(-1)! + MARGIN,
    boxes: placed,
    arrows: arrows.map((arrow) => route(arrow, byId.get(arrow.from)!, byId.get(arrow.to)!)),
  };
}

function cells(rows: readonly string[][]): Map<string, [x: number, y: number]> {
  const at = new Map<string, [number, number]>();
  for (const [y, row] of rows.entries())
    for (const [x, id] of row.entries()) if (id !== ".") at.set(id, [x, y]);
  return at;
}

function widthOf(box: Box | undefined): number {
  return box ? Math.max(...box.lines.map((line) => line.length)) * CHAR_WIDTH + 2 * PADDING.x : 0;
}

function heightOf(box: Box | undefined): number {
  return box ? box.lines.length * LINE_HEIGHT + 2 * PADDING.y : 0;
}

/** Labels of arrows need their room between two columns. */
function gapAfter(x: number, arrows: readonly Arrow[], at: ReadonlyMap<string, [number, number]>): number {
  const across = arrows.filter(({ from, to }) => {
    const [a, b] = [at.get(from)![0], at.get(to)![0]];
    return Math.min(a, b) === x && Math.max(a, b) === x + 1;
  });
  const labels = across.map(({ label }) => (label === "" ? 0 : label.length * NOTE_CHAR_WIDTH + LABEL_ROOM));
  return Math.max(GAP.x, ...labels);
}

function sums(sizes: readonly number[], gaps: readonly number[]): number[] {
  let at = MARGIN;
  return sizes.map((size, i) => {
    const start = at;
    at += size + (gaps[i] ?? 0);
    return start;
  });
}

/** Straight in a row or column; else out of the side, and into the top or the bottom. */
function route(arrow: Arrow, from: Placed, to: Placed): PlacedArrow {
  const [a, b] = [centre(from), centre(to)];
  if (from.y === to.y) {
    const right = to.x > from.x;
    const [x1, x2] = right ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
    return {
      ...arrow,
      points: [
        [x1, a[1]],
        [x2, b[1]],
      ],
      labelAt: [(x1 + x2) / 2, a[1] - 6],
    };
  }
  const down = to.y > from.y;
  const end = down ? to.y : to.y + to.height;
  if (from.x === to.x) {
    const start = down ? from.y + from.height : from.y;
    return {
      ...arrow,
      points: [
        [a[0], start],
        [b[0], end],
      ],
      labelAt: [a[0], (start + end) / 2 + 4],
    };
  }
  const side = to.x > from.x ? from.x + from.width : from.x;
  return {
    ...arrow,
    points: [
      [side, a[1]],
      [b[0], a[1]],
      [b[0], end],
    ],
    labelAt: [(side + b[0]) / 2, a[1] - 6],
  };
}

function centre({ x, y, width, height }: Placed): [number, number] {
  return [x + width / 2, y + height / 2];
}
