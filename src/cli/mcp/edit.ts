import { editYaml } from "../../config/edit-yaml.js";
import { readTexts, writeTexts } from "../../config/files.js";
import { loadConfig } from "../../config/load.js";
import { resolveHome } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { Misuse } from "../failure.js";
import { io } from "../io.js";
import { print, printJson } from "../output.js";
import { serverNamed } from "./named.js";

export interface AddOptions {
  url?: string;
  header?: string[];
  env?: string[];
  oauth?: boolean;
  untrusted?: boolean;
  allow?: string[];
  json?: boolean;
}

const TAKEN_UP = "/reload-mcp applies it to a running gateway.";

export async function add(name: string, command: string[], options: AddOptions): Promise<void> {
  const { url, oauth, json } = options;
  if ((command.length === 0) === (url === undefined))
    throw new Misuse("Give a program or an address.", "hermes mcp add NAME -- PROGRAM …, or --url ADDRESS.");
  if (oauth && url === undefined) throw new Misuse("--oauth is for servers on HTTP.", "Give --url ADDRESS.");
  if (Object.hasOwn(configured(), name))
    throw new HermesError("conflict", `There is already an MCP server ${name}.`, {
      hint: `hermes mcp remove ${name}, or edit config.yaml.`,
    });
  await change(name, serverOf(command, options));
  if (json) printJson({ added: name });
  else print(`Added ${name}. \`hermes mcp ${oauth ? "login" : "test"} ${name}\` tries it. ${TAKEN_UP}`);
}

export async function remove(name: string, { json }: { json?: boolean }): Promise<void> {
  serverNamed(name, configured());
  await change(name, undefined);
  if (json) printJson({ removed: name });
  else print(`Removed ${name}. ${TAKEN_UP}`);
}

function configured() {
  return loadConfig({ home: resolveHome(io().env), env: io().env }).config.mcp_servers;
}

function serverOf([program, ...args]: string[], options: AddOptions): Record<string, unknown> {
  const { url, header = [], env = [], oauth, untrusted, allow } = options;
  return {
    ...(program === undefined ? { url } : { command: program }),
    ...(args.length > 0 ? { args } : {}),
    ...(env.length > 0 ? { env: pairs(env, "=", "NAME=value") } : {}),
    ...(header.length > 0 ? { headers: pairs(header, ":", "'Name: value'") } : {}),
    ...(oauth ? { auth: "oauth" } : {}),
    ...(untrusted ? { trust: "untrusted" } : {}),
    ...(allow ? { allow } : {}),
  };
}

function pairs(lines: readonly string[], separator: string, form: string): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(separator);
      if (at < 1) throw new Misuse(`'${line}' has the wrong form.`, `Write ${form}.`);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** The rest of the file stays as it is. A configuration that wouldn't load isn't written. */
async function change(name: string, value: Record<string, unknown> | undefined): Promise<void> {
  const home = resolveHome(io().env);
  const before = readTexts(home);
  const after = { ...before, config: editYaml(before.config, [{ path: ["mcp_servers", name], value }]) };
  loadConfig({ home, env: io().env, texts: after });
  await writeTexts(home, before, after);
}
