/**
 * A diagram as text: boxes on a grid, and arrows between them.
 *
 *     title: What it shows, for readers who can't see it
 *     box: adapter = Adapter / normalises
 *     disk: inbox = Inbox / in state.db
 *     row: adapter inbox .
 *     adapter -> inbox: store first
 *
 * `/` breaks a line, `.` is an empty place, `plain:` is text without a border. `-->` is a dashed arrow.
 */
export type Kind = "box" | "disk" | "plain";

export interface Box {
  id: string;
  kind: Kind;
  lines: string[];
}

export interface Arrow {
  from: string;
  to: string;
  label: string;
  dashed: boolean;
}

export interface Diagram {
  title: string;
  boxes: Map<string, Box>;
  /** Ids by row; "." is an empty place. */
  rows: string[][];
  arrows: Arrow[];
}

export function parseDiagram(text: string): Diagram {
  const diagram: Diagram = { title: "", boxes: new Map(), rows: [], arrows: [] };
  for (const [i, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    if (!readLine(line, diagram)) throw new Error(`Line ${i + 1} of the diagram is invalid: ${line}`);
  }
  check(diagram);
  return diagram;
}

function readLine(line: string, diagram: Diagram): boolean {
  const [, title] = /^title: (.+)$/.exec(line) ?? [];
  if (title !== undefined) diagram.title = title;
  const [, kind, id, label] = /^(box|disk|plain): (\w+) = (.+)$/.exec(line) ?? [];
  if (id !== undefined)
    diagram.boxes.set(id, { id, kind: kind as Kind, lines: label!.split(" / ").map((one) => one.trim()) });
  const [, row] = /^row: (.+)$/.exec(line) ?? [];
  if (row !== undefined) diagram.rows.push(row.trim().split(/\s+/));
  const [, from, arrow, to, note] = /^(\w+) (-->|->) (\w+)(?:: (.+))?$/.exec(line) ?? [];
  if (from !== undefined) diagram.arrows.push({ from, to: to!, label: note ?? "", dashed: arrow === "-->" });
  return (title ?? id ?? row ?? from) !== undefined;
}

function check({ title, boxes, rows, arrows }: Diagram): void {
  if (title === "") throw new Error("The diagram has no title");
  const placed = rows.flat().filter((id) => id !== ".");
  const named = [...placed, ...arrows.flatMap(({ from, to }) => [from, to])];
  const unknown = named.filter((id) => !boxes.has(id));
  if (unknown.length > 0) throw new Error(`The diagram has no box ${unknown.join(", ")}`);
  const missing = [...boxes.keys()].filter((id) => placed.filter((one) => one === id).length !== 1);
  if (missing.length > 0) throw new Error(`The diagram must place once: ${missing.join(", ")}`);
}
