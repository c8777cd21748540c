/** `hermes version`: the versions that a bug report needs. */
import { Command } from "commander";
import { resolveHome } from "../config/paths.js";
import { sqliteVersion } from "../store/files.js";
import { version } from "../version.js";
import { io } from "./io.js";
import { jsonOption } from "./options.js";
import { print, printJson } from "./output.js";

export function versionCommand(): Command {
  return new Command("version").addOption(jsonOption()).action(show);
}

async function show({ json }: { json?: boolean }): Promise<void> {
  const versions = {
    hermes: version(),
    node: process.versions.node,
    sqlite: await sqliteVersion(),
    platform: `${process.platform} ${process.arch}`,
    home: resolveHome(io().env),
  };
  if (json) printJson(versions);
  else for (const [name, value] of Object.entries(versions)) print(`${name.padEnd(8)}  ${value}`);
}
