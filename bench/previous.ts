import { execFileSync } from "node:child_process";
import fs from "node:fs";

/** A figure without a baseline, compared only with its previous value. Smaller is better. */
export interface Figure {
  what: string;
  value: number;
  unit: "ms" | "MB" | "%" | "rows";
  target?: number;
}

interface Kept {
  commit: string;
  date: string;
  figures: Record<string, number>;
}

/** A table of figures with the last saved ones beside them. */
export function besidePrevious(file: URL, figures: readonly Figure[]): string {
  const before = readKept(file);
  const lines = figures.map(({ what, value, unit, target }) => [
    what,
    shown(value, unit),
    shown(before?.figures[what], unit),
    target === undefined ? "" : `< ${shown(target, unit)}`,
    target === undefined ? "" : value < target ? "yes" : "**no**",
  ]);
  const name = before ? `before (${before.commit}, ${before.date})` : "before";
  const all = [["what", "now", name, "target", "met"], ["---", "--:", "--:", "--:", "---"], ...lines];
  return all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export function keep(file: URL, figures: readonly Figure[]): void {
  const kept: Kept = {
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    date: new Date().toISOString().slice(0, 10),
    figures: Object.fromEntries(figures.map(({ what, value }) => [what, value])),
  };
  fs.writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
}

function readKept(file: URL): Kept | undefined {
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as Kept) : undefined;
}

function shown(value: number | undefined, unit: string): string {
  return value === undefined ? "" : `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`;
}
