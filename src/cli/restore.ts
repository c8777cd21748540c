import path from "node:path";
import { Command } from "commander";
import type { OpenedBackup } from "../backup/restore.js";
import { fileStamp } from "../clock.js";
import { resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import type { CheckReport } from "../store/store.js";
import { confirmed } from "./ask.js";
import { counted } from "./numbers.js";
import { jsonOption, yesOption } from "./options.js";
import { print, printJson } from "./output.js";
import { withProgress } from "./progress.js";

interface RestoreOptions {
  check?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** `hermes restore`: proves the backup first, and moves what is there aside. */
export function restoreCommand(): Command {
  return new Command("restore")
    .argument("<file>", "what `hermes backup` wrote")
    .option("--check", "only prove that it is whole and sound")
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(restore);
}

const HELP = `
Every file is compared with its checksum and the database is checked before anything changes. What stands in the home
is moved to before-restore-… there. Your config.yaml stays; the backup's is put beside it. Secrets are in no backup.`;

async function restore(name: string, options: RestoreOptions): Promise<void> {
  const home = resolveHome(process.env);
  const file = path.resolve(name);
  if (!options.check) await requireStopped(home);
  const { openBackup } = await import("../backup/restore.js");
  const opened = await withProgress((onProgress) =>
    openBackup(file, home, (database) => check(database, onProgress)),
  );
  try {
    if (options.check) return tellSound(file, opened, options.json);
    const made = new Date(opened.manifest.created_at * 1000).toLocaleString();
    if (!(await confirmed(`Put the backup of ${made} in place of what is in ${home}?`, options))) return;
    await place(home, file, opened, options.json);
  } finally {
    await opened.discard();
  }
}

async function check(
  database: string,
  onProgress: Parameters<Parameters<typeof withProgress>[0]>[0],
): Promise<CheckReport> {
  const { openStore } = await import("../store/sqlite/index.js");
  const store = await openStore({ path: database, onProgress });
  try {
    return await store.check(onProgress);
  } finally {
    await store.close();
  }
}

async function requireStopped(home: string): Promise<void> {
  const { readLock } = await import("../store/sqlite/lock.js");
  const { running } = await readLock(home);
  if (!running) return;
  throw new HermesError("conflict", `A gateway is running on ${home}.`, {
    hint: "Stop it first, so that it doesn't write into what is being replaced.",
  });
}

function tellSound(file: string, { manifest }: OpenedBackup, json?: boolean): void {
  if (json) printJson({ ok: true, file, ...manifest, files: manifest.files.length });
  else
    print(
      `${file} is whole and sound: ${counted(manifest.files.length, "file")}, made by version ${manifest.version}.`,
    );
}

async function place(
  home: string,
  file: string,
  { stage, manifest }: OpenedBackup,
  json?: boolean,
): Promise<void> {
  const { putInPlace } = await import("../backup/restore.js");
  const { kept, config } = await putInPlace(stage, home, fileStamp());
  if (json) return printJson({ restored: file, home, kept: kept ?? null, config: config ?? null });
  print(`Restored ${counted(manifest.files.length, "file")} to ${home}.`);
  if (kept) print(`What was there before: ${kept}`);
  if (config) print(`Your config.yaml was kept; the backup's is ${config}`);
  else print("Secrets are in no backup: set tokens and keys again in .env.");
}
