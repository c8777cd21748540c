import path from "node:path";
import { Command } from "commander";
import { backupName } from "../backup/rotate.js";
import { fileStamp, nowSeconds } from "../clock.js";
import { isSecretPath } from "../config/mask.js";
import { homePaths, resolveHome } from "../config/paths.js";
import { version } from "../version.js";
import { dataSize } from "./numbers.js";
import { noDatabase, withStore } from "./open.js";
import { jsonOption } from "./options.js";
import { print, printJson } from "./output.js";
import { withProgress } from "./progress.js";

/** `hermes backup`: everything but the secrets, in one file, while the gateway runs. */
export function backupCommand(): Command {
  return new Command("backup")
    .option("--to <file>", "where to (default: backups/ in the home, named by the time)")
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(backup);
}

const HELP = `
Holds the database as it stands at one moment, sessions.json, transcripts, memories, hooks, files that were sent, and
config.yaml without its secrets; .env stays out. The gateway needn't stop. \`hermes restore FILE\` brings it back.
To have one made every day, set backup.every_hours in config.yaml.`;

async function backup(options: { to?: string; json?: boolean }): Promise<void> {
  const { home, backupsDir } = homePaths(resolveHome(process.env));
  const target = path.resolve(options.to ?? path.join(backupsDir, backupName(fileStamp())));
  const { createBackup } = await import("../backup/create.js");
  const made = await withStore(
    (store) =>
      withProgress((onProgress) =>
        createBackup({
          home,
          store,
          target,
          version: version(),
          now: nowSeconds(),
          isSecretPath,
          onProgress,
        }),
      ),
    noDatabase,
  );
  if (options.json) printJson(made);
  else print(`Wrote ${made.file} (${made.files} files, ${dataSize(made.bytes)}).`);
}
