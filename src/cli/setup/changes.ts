/** Shows changes line by line. */
import { type DiffLine, diffLines } from "../../config/diff-lines.js";
import type { ConfigTexts } from "../../config/load.js";
import { colors } from "../output.js";

interface FileChange {
  file: string;
  lines: DiffLine[];
}

export function changedFiles(before: ConfigTexts, after: ConfigTexts): FileChange[] {
  const files = [
    { file: "config.yaml", lines: diffLines(before.config, after.config) },
    { file: ".env", lines: diffLines(before.env, after.env) },
  ];
  return files.filter(({ lines }) => lines.length > 0);
}

export function drawChanges(changes: readonly FileChange[]): string[] {
  const paint = { "+": colors.green, "-": colors.red, " ": colors.dim };
  return changes.flatMap(({ file, lines }) => [
    colors.bold(file),
    ...lines.map(({ sign, text }) => paint[sign](`${sign} ${text}`)),
  ]);
}

export function shadowWarning(name: string): string {
  return `${name} is set in your environment to something else, and wins over .env there.`;
}
