/** The two files of the configuration, read and replaced as whole texts. */
import { HermesError } from "../errors.js";
import { killPoint } from "../kill-point.js";
import { readRegularSync } from "../regular-file.js";
import { writeWhole } from "../whole-file.js";
import type { ConfigTexts } from "./load.js";
import { ensureHome, homePaths } from "./paths.js";

/** A file that doesn't exist is empty. */
export function readTexts(home: string): ConfigTexts {
  const { configFile, envFile } = homePaths(home);
  return { config: readIfThere(configFile), env: readIfThere(envFile) };
}

function readIfThere(path: string): string {
  try {
    return readRegularSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new HermesError("unavailable", `Can't read ${path}: ${(error as Error).message}`);
  }
}

/** Secrets first: settings without them wouldn't work. Each file is replaced as a whole. */
export async function writeTexts(home: string, before: ConfigTexts, after: ConfigTexts): Promise<void> {
  const { configFile, envFile } = homePaths(home);
  ensureHome(home);
  const now = readTexts(home);
  if (now.config !== before.config || now.env !== before.env)
    throw new HermesError("conflict", "The files have changed in the meantime, so nothing was written.", {
      hint: "Read them again and repeat the change.",
    });
  if (after.env !== before.env) {
    await writeWhole(envFile, (out) => out(after.env));
    killPoint("secrets-written");
  }
  if (after.config !== before.config) await writeWhole(configFile, (out) => out(after.config));
}
