import { existsSync } from "node:fs";
import { Command } from "commander";
import type { CodeFolder, OpenedBackup } from "../backup/restore.js";
import { fileStamp } from "../clock.js";
import { resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import { secureHome } from "../home-modes.js";
import { membershipOf, openStore } from "../store/open.js";
import type { CheckReport } from "../store/store.js";
import { agrees, confirmed } from "./ask.js";
import { fromCwd, io } from "./io.js";
import { counted } from "./numbers.js";
import { jsonOption, yesOption } from "./options.js";
import { isInteractive, print, printJson } from "./output.js";
import { withProgress } from "./progress.js";

interface RestoreOptions {
  check?: boolean;
  withHooks?: boolean;
  withPlugins?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** `hermes restore`: verifies the backup, then moves existing data aside. */
export function restoreCommand(): Command {
  return new Command("restore")
    .argument("<file>", "what `hermes backup` wrote")
    .option("--check", "only verify that it is complete and intact")
    .option("--with-hooks", "also install its hooks without asking: code that runs in the gateway")
    .option("--with-plugins", "also install its plugins without asking: code that runs in the gateway")
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(restore);
}

const HELP = `
Every file is compared with its checksum and the database is checked before anything changes. What is in the home
is moved to before-restore-… there. Your config.yaml stays; the backup's is saved next to it. Secrets are in no backup.
Hooks and plugins are code that runs in the gateway: they are installed only if you confirm, or with --with-hooks and
--with-plugins. Otherwise the home keeps its own. --yes doesn't approve them.`;

async function restore(name: string, options: RestoreOptions): Promise<void> {
  const home = resolveHome(io().env);
  const file = fromCwd(name);
  if (!options.check) await requireReady(home);
  const { openBackup } = await import("../backup/restore.js");
  const opened = await withProgress((onProgress) =>
    openBackup(file, home, (database) => check(database, onProgress)),
  );
  try {
    if (options.check) return tellSound(file, opened, options.json);
    const made = new Date(opened.manifest.created_at * 1000).toLocaleString();
    if (!(await confirmed(`Put the backup of ${made} in place of the data in ${home}?`, options))) return;
    // A gateway may have been started in the meantime.
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
  const store = await openStore({ path: database, onProgress, migrate: true });
  try {
    return await store.maintenance.check(onProgress);
  } finally {
    await store.close();
  }
}

/** Checks that no gateway runs on the home and that the home is private. */
async function requireReady(home: string): Promise<void> {
  await requireStopped(home);
  if (existsSync(home)) secureHome(home);
}

async function requireStopped(home: string): Promise<void> {
  const { running } = await membershipOf(home).state();
  if (!running) return;
  throw new HermesError("conflict", `A gateway is running on ${home}.`, {
    hint: "Stop it first: it would write to files that are being replaced.",
  });
}

function tellSound(file: string, { manifest }: OpenedBackup, json?: boolean): void {
  if (json) printJson({ ok: true, file, ...manifest, files: manifest.files.length });
  else
    print(
      `${file} is complete and intact: ${counted(manifest.files.length, "file")}, made by version ${manifest.version}.`,
    );
}

async function place(
  home: string,
  file: string,
  opened: OpenedBackup,
  options: RestoreOptions,
): Promise<void> {
  const { putInPlace } = await import("../backup/restore.js");
  const { stage, manifest } = opened;
  const hooks = await consentTo("hooks", opened, home, options);
  const plugins = await consentTo("plugins", opened, home, options);
  const code = [hooks, plugins].filter(({ install }) => install).map(({ folder }) => folder);
  const { kept, config } = await putInPlace(stage, home, { stamp: fileStamp(), code });
  if (options.json)
    return printJson({
      ...{ restored: file, home, kept: kept ?? null, config: config ?? null },
      hooks_left_out: hooks.leftOut,
      plugins_left_out: plugins.leftOut,
    });
  print(`Restored ${counted(manifest.files.length, "file")} to ${home}.`);
  if (kept) print(`Previous data: ${kept}`);
  if (config) print(`Your config.yaml was kept; the backup's is ${config}`);
  else print("Backups contain no secrets: set tokens and keys in .env again.");
  for (const { folder, leftOut } of [hooks, plugins])
    if (leftOut.length > 0)
      print(
        `Its ${folder} were not installed (${leftOut.join(", ")}). With them: hermes restore ${file} --with-${folder}`,
      );
}

interface Consent {
  folder: CodeFolder;
  install: boolean;
  leftOut: string[];
}

async function consentTo(
  folder: CodeFolder,
  opened: OpenedBackup,
  home: string,
  options: RestoreOptions,
): Promise<Consent> {
  const { newCode } = await import("../backup/restore.js");
  const unknown = await newCode(opened, home, folder);
  const approved = folder === "hooks" ? options.withHooks : options.withPlugins;
  // A backup without plugins, for example of an older version, leaves the home's own in place.
  const hasAny = opened.manifest.files.some((file) => file.path.startsWith(`${folder}/`));
  if (folder === "plugins" && !hasAny) return { folder, install: false, leftOut: [] };
  const install = await mayInstall(folder, unknown, { ...options, approved });
  return { folder, install, leftOut: install ? [] : unknown };
}

/** Doesn't ask about code that the home already has. `--yes` never approves code. */
async function mayInstall(
  folder: CodeFolder,
  unknown: readonly string[],
  { approved, yes, json }: RestoreOptions & { approved: boolean | undefined },
): Promise<boolean> {
  if (unknown.length === 0 || approved) return true;
  if (yes || json || !isInteractive()) return false;
  return agrees(`Install its ${folder} too (${unknown.join(", ")})? They are code that runs in the gateway.`);
}
