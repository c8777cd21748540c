/** Shows the changes line by line, and writes them. */
import type { ConfigTexts } from "../../config/load.js";
import { ensureHome, homePaths } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { writeWhole } from "../files.js";
import { colors } from "../output.js";
import { type DiffLine, diffLines } from "./diff.js";
import { readTexts } from "./draft.js";

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

/** Secrets first: settings without them wouldn't work. */
export async function write(home: string, before: ConfigTexts, after: ConfigTexts): Promise<void> {
  const { configFile, envFile } = homePaths(home);
  ensureHome(home);
  const now = readTexts(home);
  if (now.config !== before.config || now.env !== before.env)
    throw new HermesError("conflict", "The files have changed in the meantime, so nothing was written.", {
      hint: "Run `hermes setup` again.",
    });
  if (after.env !== before.env) await writeWhole(envFile, (out) => out(after.env));
  if (after.config !== before.config) await writeWhole(configFile, (out) => out(after.config));
}
