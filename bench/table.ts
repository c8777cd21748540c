/** One measurement. The ratio comes first, because it is comparable between machines. */
export interface Row {
  /** Ours compared with plain; undefined without a baseline. */
  ratio?: number;
  what: string;
  ours: string;
  plain?: string;
  /** The last saved figure, for rows without a baseline. */
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

/** Adds the figures of an earlier table to rows without a ratio, matched by name. */
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
