/** One measured thing. The ratio comes first: it is what holds on another machine. */
export interface Row {
  /** Ours against plain; undefined where there is nothing to compare with. */
  ratio?: number;
  what: string;
  ours: string;
  plain?: string;
  target?: string;
  met?: boolean;
}

export function markdown(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.ratio === undefined ? "" : `${row.ratio.toFixed(row.ratio < 10 ? 2 : 0)}×`,
    row.what,
    row.ours,
    row.plain ?? "",
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
