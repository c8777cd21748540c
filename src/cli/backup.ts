import { open, stat } from "node:fs/promises";
import path from "node:path";
import { Command } from "commander";
import { backupName } from "../backup/rotate.js";
import { fileStamp, nowSeconds } from "../clock.js";
import { isSecretPath } from "../config/mask.js";
import { homePaths, resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import { version } from "../version.js";
import { fromCwd, io } from "./io.js";
import { counted, dataSize } from "./numbers.js";
import { noDatabase, withStore } from "./open.js";
import { jsonOption } from "./options.js";
import { print, printJson } from "./output.js";

/** `hermes backup`: writes everything except secrets into one file, while the gateway runs. */
export function backupCommand(): Command {
  return new Command("backup")
    .option(
      "--to <file>",
      "where to: a file, or a folder in which it is named by the time (default: backups/ in the home)",
    )
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(backup);
}

const HELP = `
Contains a consistent snapshot of the database, sessions.json, transcripts, memories, hooks, plugins, files that were sent, and
config.yaml without its secrets; .env is not included. The gateway can keep running. \`hermes restore FILE\` restores it.
To have one made every day, set backup.every_hours in config.yaml.`;

async function backup(options: { to?: string; json?: boolean }): Promise<void> {
  const { home, backupsDir } = homePaths(resolveHome(io().env));
  const target = await targetOf(options.to, backupsDir);
  const { createBackup } = await import("../backup/create.js");
  const made = await withStore(
    (store) =>
      createBackup({
        home,
        store: store.maintenance,
        target,
        version: version(),
        now: nowSeconds(),
        isSecretPath,
      }),
    noDatabase,
  );
  if (options.json) printJson(made);
  else print(`Wrote ${made.file} (${counted(made.files, "file")}, ${dataSize(made.bytes)}).`);
}

/** In a folder, the name is a timestamp. Only replaces other backups, because a typo could name the database itself. */
async function targetOf(to: string | undefined, backupsDir: string): Promise<string> {
  const name = backupName(fileStamp());
  if (to === undefined) return path.join(backupsDir, name);
  const target = fromCwd(to);
  const there = await stat(target).catch(() => undefined);
  if (there?.isDirectory() || to.endsWith(path.sep)) return path.join(target, name);
  if (there && !(there.isFile() && (await isPacked(target))))
    throw new HermesError("conflict", `${target} exists and isn't a backup.`, {
      hint: "Name another file, or a folder.",
    });
  return target;
}

/** Call before the store is opened: closing a database file that this process uses would release its locks. */
async function isPacked(file: string): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE() === GZIP;
  } finally {
    await handle.close();
  }
}

const GZIP = 0x1f8b;
