/** `hermes config`: checks, shows and locates the configuration. */

import { Command } from "commander";
import { stringify } from "yaml";
import { ConfigError, type Fault, faultLine } from "../config/faults.js";
import { configJsonSchema } from "../config/json-schema.js";
import { type LoadedConfig, loadConfig } from "../config/load.js";
import { maskSecrets } from "../config/mask.js";
import { homePaths, resolveHome } from "../config/paths.js";
import { isTree } from "../config/tree.js";
import { type ConfigWithPlugins, loadWithPlugins, pluginFaults, pluginsOf } from "../plugins/index.js";
import { io } from "./io.js";
import { colors, print, printJson } from "./output.js";

export function configCommand(): Command {
  const command = new Command("config").description("Check, show and change the configuration");
  command
    .command("check")
    .description("Check the configuration: ok, or every error with its line and a hint")
    .option("--json", "print JSON")
    .action(check);
  command
    .command("show")
    .description("Print the effective configuration, with secrets masked")
    .option("--sources", "show where each value comes from")
    .option("--json", "print JSON")
    .action(show);
  command
    .command("get")
    .description("Print one effective value, with secrets masked")
    .argument("<key>", "with dots: session_reset.mode")
    .option("--show", "don't mask secrets")
    .option("--json", "print JSON")
    .action(async (key, options) => (await import("./config-values.js")).get(key, options));
  command
    .command("set")
    .description("Set one value in config.yaml; keeps comments and everything else")
    .argument("<key>", "with dots: session_reset.mode")
    .argument("<value>", "as in YAML: 5, true, text, [a, b]")
    .option("--json", "print JSON")
    .action(async (key, value, options) => (await import("./config-values.js")).set(key, value, options));
  command
    .command("unset")
    .description("Remove one value from config.yaml, so that its default applies")
    .argument("<key>", "with dots: session_reset.mode")
    .option("--json", "print JSON")
    .action(async (key, options) => (await import("./config-values.js")).unset(key, options));
  command
    .command("edit")
    .description("Open config.yaml in your editor ($VISUAL, $EDITOR); saved only if it is valid")
    .action(async () => (await import("./config-values.js")).edit());
  command
    .command("path")
    .description("Print the path of config.yaml")
    .option("--json", "print JSON")
    .action(path);
  command
    .command("schema")
    .description("Print the JSON schema of config.yaml")
    .action(() => printJson(configJsonSchema()));
  return command;
}

function path({ json }: { json?: boolean }): void {
  const { configFile } = homePaths(resolveHome(io().env));
  json ? printJson({ path: configFile }) : print(configFile);
}

function load(): Promise<ConfigWithPlugins> {
  return loadWithPlugins({ home: resolveHome(io().env), env: io().env });
}

/** Errors in the file are the command's result: they go to stdout, with exit code 1. */
async function check({ json }: { json?: boolean }): Promise<void> {
  const { faults, ignored } = await findFaults();
  if (faults.length > 0) io().exitCode = 1;
  if (json) {
    printJson({ ok: faults.length === 0, faults, ignored });
    return;
  }
  for (const fault of faults) print(faultLine({ ...fault, where: colors.red(fault.where) }));
  for (const { where, path } of ignored) {
    print(colors.dim(`${where}  ${path}: a Hermes Agent key that the gateway ignores`));
  }
  if (faults.length === 0) print(colors.green("ok"));
}

async function findFaults(): Promise<{ faults: readonly Fault[]; ignored: LoadedConfig["ignored"] }> {
  const options = { home: resolveHome(io().env), env: io().env };
  const { plugins, platforms } = await pluginsOf(options);
  const faults = pluginFaults(plugins);
  try {
    return { faults, ignored: loadConfig({ ...options, external: platforms }).ignored };
  } catch (error) {
    if (error instanceof ConfigError) return { faults: [...error.faults, ...faults], ignored: [] };
    throw error;
  }
}

async function show({ sources: withSources, json }: { sources?: boolean; json?: boolean }): Promise<void> {
  const { loaded } = await load();
  const config = maskSecrets(loaded.config);
  if (json) {
    printJson(withSources ? { config, sources: loaded.sources } : config);
    return;
  }
  print(render(config, [], withSources ? loaded.sources : {}).join("\n"));
}

/** As YAML, one line per value, so that each can be followed by its layer. */
function render(tree: object, above: readonly string[], sources: LoadedConfig["sources"]): string[] {
  const indent = "  ".repeat(above.length);
  return Object.entries(tree).flatMap(([key, value]: [string, unknown]) => {
    const path = [...above, key];
    const name = `${indent}${oneLine(key)}:`;
    if (isTree(value) && Object.keys(value).length > 0) return [name, ...render(value, path, sources)];
    const source = sources[path.join(".")];
    return [`${name} ${oneLine(value)}${source === undefined ? "" : colors.dim(`  # ${source}`)}`];
  });
}

function oneLine(value: unknown): string {
  const options = {
    collectionStyle: "flow",
    lineWidth: 0,
    blockQuote: false,
    flowCollectionPadding: false,
  } as const;
  return stringify(value, options).trimEnd();
}
