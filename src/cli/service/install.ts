import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { resolveHome } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { packageFile } from "../../package-files.js";
import { explained } from "../../whole-file.js";
import { Misuse } from "../failure.js";
import { io } from "../io.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { serviceUser, systemctl, unitPath } from "./systemd.js";
import { MARK, type Scope, UNIT_NAME, unitFile } from "./unit.js";

/** `hermes gateway install|uninstall`: the gateway as a systemd service. */

interface InstallOptions {
  system?: boolean;
  user?: string;
  print?: boolean;
  start: boolean;
  json?: boolean;
}

const HERMES = fileURLToPath(packageFile("dist/cli/hermes.js"));

export function installCommand(): Command {
  return new Command("install")
    .description("Run the gateway as a systemd service, restarted when it fails or hangs")
    .option("--system", "for the whole machine instead of this user (needs root)")
    .option("--user <name>", "with --system: the user it runs as (default: the one who called sudo)")
    .option("--print", "only print the unit")
    .option("--no-start", "write it, but don't start it now")
    .addOption(jsonOption())
    .action(install);
}

export function uninstallCommand(): Command {
  return new Command("uninstall")
    .description("Stop the service and remove it; the home and its data stay")
    .option("--system", "the machine's service, not this user's")
    .addOption(jsonOption())
    .action(uninstall);
}

const scopeOf = ({ system }: { system?: boolean }): Scope => (system ? "system" : "user");

async function install(options: InstallOptions): Promise<void> {
  const scope = scopeOf(options);
  if (options.user !== undefined && scope === "user") {
    throw new Misuse("--user only goes with --system.", "Your own service runs as you.");
  }
  const home = resolveHome(io().env);
  const unit = unitFile({
    scope,
    node: process.execPath,
    hermes: HERMES,
    home,
    ...(scope === "system" ? { user: options.user ?? serviceUser() } : {}),
  });
  if (options.print) return print(unit.trimEnd());
  const file = unitPath(scope);
  const isNew = !existsSync(file);
  writeUnit(file, unit);
  try {
    await systemctl(scope, "daemon-reload");
  } catch (error) {
    // systemd never loaded it: remove it again.
    if (isNew) rmSync(file, { force: true });
    throw error;
  }
  await systemctl(scope, "enable", ...(options.start ? ["--now"] : []), UNIT_NAME);
  if (options.json) return printJson({ installed: file, scope, home, started: options.start });
  print(`Installed ${file}.`);
  print(nextSteps(scope, options.start));
}

function nextSteps(scope: Scope, started: boolean): string {
  const flag = scope === "user" ? " --user" : "";
  return [
    ...(started ? ["It is running."] : [`Start it: systemctl${flag} start hermes-gateway`]),
    `Its log:  journalctl${flag} -u hermes-gateway -f`,
    "Status:   hermes gateway status",
    ...(scope === "user" ? ["To keep it running while you are logged out: loginctl enable-linger"] : []),
  ].join("\n");
}

async function uninstall(options: { system?: boolean; json?: boolean }): Promise<void> {
  const scope = scopeOf(options);
  const file = unitPath(scope);
  if (!existsSync(file)) {
    throw new HermesError("not_found", `There is no service at ${file}.`, {
      hint:
        scope === "user"
          ? "Use --system to remove the machine's service."
          : "Omit --system to remove your own service.",
    });
  }
  requireOurs(file);
  await systemctl(scope, "disable", "--now", UNIT_NAME);
  attempt(file, () => rmSync(file));
  await systemctl(scope, "daemon-reload");
  if (options.json) printJson({ removed: file, scope });
  else print(`Removed ${file}. The home ${resolveHome(io().env)} was not changed.`);
}

function writeUnit(file: string, unit: string): void {
  if (existsSync(file)) requireOurs(file);
  attempt(file, () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, unit, { mode: 0o644 });
  });
}

function requireOurs(file: string): void {
  if (attempt(file, () => readFileSync(file, "utf8")).startsWith(MARK)) return;
  throw new HermesError("conflict", `${file} was not written by Hermes.`, {
    hint: "Move it away first; `hermes gateway install --print` shows what would be written.",
  });
}

function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explained(error, file);
  }
}
