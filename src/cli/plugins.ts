/** `hermes plugins`: installed plugins, and why some aren't loaded. */

import { Command } from "commander";
import { homePaths, resolveHome } from "../config/paths.js";
import { type Plugin, pluginsOf } from "../plugins/index.js";
import { drawColumns } from "./columns.js";
import { io } from "./io.js";
import { jsonOption } from "./options.js";
import { print, printJson } from "./output.js";

const HELP = `
A plugin is a folder under plugins/ of the home with plugin.yaml and a module. Only names in plugins.enabled of
config.yaml are loaded, unless plugins.disabled has them. docs/adding-a-platform.md shows how to write one.`;

export function pluginsCommand(): Command {
  const plugins = new Command("plugins").addHelpText("after", HELP);
  plugins
    .command("list")
    .description("Show the plugins of this home, whether they are loaded, and why not")
    .addOption(jsonOption())
    .action(list);
  return plugins;
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const home = resolveHome(io().env);
  const { plugins } = await pluginsOf({ home, env: io().env }, true);
  if (json) return printJson(plugins);
  if (plugins.length === 0) return print(`No plugins in ${homePaths(home).pluginsDir}.`);
  print(draw(plugins));
}

function draw(plugins: readonly Plugin[]): string {
  const rows = plugins.map((plugin) => [plugin.name, plugin.version, plugin.state, about(plugin)]);
  const width = (index: number, min: number) => Math.max(min, ...rows.map((row) => row[index]!.length));
  const columns = [
    { header: "Plugin", width: Math.min(width(0, 6), 30) },
    { header: "Version", width: Math.min(width(1, 7), 12) },
    { header: "State", width: 8 },
    { header: "", width: 0, min: 12 },
  ];
  return drawColumns(columns, rows, 80);
}

function about({ state, reason, fix, platforms, description }: Plugin): string {
  if (state !== "loaded") return [reason, fix].filter((part) => part !== undefined).join(". ");
  return [`platform ${platforms.join(", ")}`, description].filter((part) => part !== "").join(": ");
}
