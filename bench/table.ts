/** One measured thing. The ratio comes first: it is what holds on another machine. */
export interface Row {
  /** Ours against plain; undefined where there is nothing to compare with. */
  ratio?: number;
  what: string;
  ours: string;
  plain?: string;
  /** What the last kept run measured: for figures that nothing else is held against. */
  previous?: string;
  target?: string;
  met?: boolean;
}

export function markdown(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.ratio === undefined ? "" : `${row.ratio.toFixed(row.ratio < 10 ? 2 : 0)}×`,
    row.what,
    row.ours,
    row.plain ?? (row.previous === undefined ? "" : `before: ${row.previous}`),
    row.target ?? "",
    row.met === undefined ? "" : row.met ? "yes" : "**no**",
  ]);
  const all = [
    ["ratio", "what", "ours", "plain", "target", "met"],
    ["--:", "---", "--:", "--:", "--:", "---"],
    ...lines,
  ];
  return all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** `rows` beside the figures of the same name in an earlier table, where there is no ratio. */
export function withPrevious(rows: readonly Row[], earlier: string): Row[] {
  const figures = new Map(
    earlier.split("\n").map((line) => {
      const [, , what = "", ours = ""] = line.split("|").map((cell) => cell.trim());
      return [what, ours];
    }),
  );
  return rows.map((row) => {
    const previous = row.ratio === undefined ? figures.get(row.what) : undefined;
    return previous ? { ...row, previous } : row;
  });
}
