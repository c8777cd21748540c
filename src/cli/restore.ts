import { existsSync } from "node:fs";
import path from "node:path";
import { Command } from "commander";
import type { OpenedBackup } from "../backup/restore.js";
import { fileStamp } from "../clock.js";
import { resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import { secureHome } from "../home-modes.js";
import type { CheckReport } from "../store/store.js";
import { agrees, confirmed } from "./ask.js";
import { counted } from "./numbers.js";
import { jsonOption, yesOption } from "./options.js";
import { isInteractive, print, printJson } from "./output.js";
import { withProgress } from "./progress.js";

interface RestoreOptions {
  check?: boolean;
  withHooks?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** `hermes restore`: proves the backup first, and moves what is there aside. */
export function restoreCommand(): Command {
  return new Command("restore")
    .argument("<file>", "what `hermes backup` wrote")
    .option("--check", "only prove that it is whole and sound")
    .option("--with-hooks", "install its hooks too, without being asked: code that runs in the gateway")
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(restore);
}

const HELP = `
Every file is compared with its checksum and the database is checked before anything changes. What stands in the home
is moved to before-restore-… there. Your config.yaml stays; the backup's is put beside it. Secrets are in no backup.
Hooks are code that runs in the gateway: they are installed after a question, or with --with-hooks. Else the home keeps
its own.`;

async function restore(name: string, options: RestoreOptions): Promise<void> {
  const home = resolveHome(process.env);
  const file = path.resolve(name);
  if (!options.check) await requireReady(home);
  const { openBackup } = await import("../backup/restore.js");
  const opened = await withProgress((onProgress) =>
    openBackup(file, home, (database) => check(database, onProgress)),
  );
  try {
    if (options.check) return tellSound(file, opened, options.json);
    const made = new Date(opened.manifest.created_at * 1000).toLocaleString();
    if (!(await confirmed(`Put the backup of ${made} in place of what is in ${home}?`, options))) return;
    // One may have been started while we unpacked and asked.
    await requireStopped(home);
    await place(home, file, opened, options);
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

/** Nothing runs there, and nobody else can read what is put there. */
async function requireReady(home: string): Promise<void> {
  await requireStopped(home);
  if (existsSync(home)) secureHome(home);
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
  opened: OpenedBackup,
  options: RestoreOptions,
): Promise<void> {
  const { newHooks, putInPlace } = await import("../backup/restore.js");
  const { stage, manifest } = opened;
  const unknown = await newHooks(opened, home);
  const hooks = await mayInstall(unknown, options);
  const { kept, config } = await putInPlace(stage, home, { stamp: fileStamp(), hooks });
  const leftOut = hooks ? [] : unknown;
  if (options.json)
    return printJson({
      ...{ restored: file, home, kept: kept ?? null, config: config ?? null },
      hooks_left_out: leftOut,
    });
  print(`Restored ${counted(manifest.files.length, "file")} to ${home}.`);
  if (kept) print(`What was there before: ${kept}`);
  if (config) print(`Your config.yaml was kept; the backup's is ${config}`);
  else print("Secrets are in no backup: set tokens and keys again in .env.");
  if (leftOut.length > 0)
    print(
      `Its hooks were not installed (${leftOut.join(", ")}). With them: hermes restore ${file} --with-hooks`,
    );
}

/** Hooks that the home has already need no question. `--yes` answers the other one: it says nothing about code. */
async function mayInstall(unknown: readonly string[], options: RestoreOptions): Promise<boolean> {
  if (unknown.length === 0 || options.withHooks) return true;
  if (options.yes || options.json || !isInteractive()) return false;
  return agrees(`Install its hooks too (${unknown.join(", ")})? They are code that runs in the gateway.`);
}
