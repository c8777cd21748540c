/** What would be written, shown line by line; and the writing. */
import type { ConfigTexts } from "../../config/load.js";
import { ensureHome, homePaths } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { writeWhole } from "../files.js";
import { colors } from "../output.js";
import { diffLines } from "./diff.js";
import { readTexts } from "./draft.js";

export function describeChanges(before: ConfigTexts, after: ConfigTexts): string[] {
  return [
    ...fileChanges("config.yaml", before.config, after.config),
    ...fileChanges(".env", before.env, after.env),
  ];
}

function fileChanges(name: string, before: string, after: string): string[] {
  if (before === after) return [];
  const paint = { "+": colors.green, "-": colors.red, " ": colors.dim };
  const lines = diffLines(before, after).map(({ sign, text }) => paint[sign](`${sign} ${text}`));
  return [colors.bold(name), ...lines];
}

export function shadowWarning(name: string): string {
  return `${name} is set in your environment to something else, and wins over .env there.`;
}

/** The secrets first: settings without them would be half a setup. */
export async function write(home: string, before: ConfigTexts, after: ConfigTexts): Promise<void> {
  const { configFile, envFile } = homePaths(home);
  ensureHome(home);
  const now = readTexts(home);
  if (now.config !== before.config || now.env !== before.env)
    throw new HermesError("conflict", "The files were changed meanwhile, so nothing was written.", {
      hint: "Run `hermes setup` again.",
    });
  if (after.env !== before.env) await writeWhole(envFile, (out) => out(after.env));
  if (after.config !== before.config) await writeWhole(configFile, (out) => out(after.config));
}
