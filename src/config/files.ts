/** The two files of the configuration, read and replaced as whole texts. */
import { join } from "node:path";
import { HermesError } from "../errors.js";
import { killPoint } from "../kill-point.js";
import { CONFIG_LOCK } from "../leftovers.js";
import { readRegularSync } from "../regular-file.js";
import { writeWhole } from "../whole-file.js";
import type { ConfigTexts } from "./load.js";
import { withLockFile } from "./lock-file.js";
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

/** Throws a `conflict` if the files aren't as they were before: what others wrote is never lost. */
export async function writeTexts(home: string, before: ConfigTexts, after: ConfigTexts): Promise<void> {
  ensureHome(home);
  await withLockFile(join(home, CONFIG_LOCK), () => replace(home, before, after));
}

/** Secrets first: settings without them wouldn't work. Each file is replaced as a whole. */
async function replace(home: string, before: ConfigTexts, after: ConfigTexts): Promise<void> {
  const { configFile, envFile } = homePaths(home);
  const now = readTexts(home);
  const changed =
    now.config === before.config ? (now.env === before.env ? undefined : ".env") : "config.yaml";
  if (changed !== undefined)
    throw new HermesError("conflict", `${changed} has changed since it was read, so nothing was written.`, {
      hint: "Someone else saved it. Look at the file, and repeat your change.",
    });
  if (after.env !== before.env) {
    await writeWhole(envFile, (out) => out(after.env));
    killPoint("secrets-written");
  }
  if (after.config !== before.config) await writeWhole(configFile, (out) => out(after.config));
}
