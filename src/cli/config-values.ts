/** `hermes config get|set|unset|edit`: single values, and the whole file in an editor. Never writes a file that wouldn't load. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parse, YAMLParseError } from "yaml";
import { editYaml } from "../config/edit-yaml.js";
import { ConfigError, faultLine } from "../config/faults.js";
import { readTexts, writeTexts } from "../config/files.js";
import type { ConfigTexts } from "../config/load.js";
import { maskSecrets } from "../config/mask.js";
import { homePaths, resolveHome } from "../config/paths.js";
import { getIn } from "../config/tree.js";
import { HermesError } from "../errors.js";
import { loadWithPlugins } from "../plugins/index.js";
import { agrees } from "./ask.js";
import { Misuse } from "./failure.js";
import { io, tty } from "./io.js";
import { print, printError, printJson } from "./output.js";
import { changedFiles, drawChanges } from "./setup/changes.js";

const RESTART = "Restart the gateway to apply it.";

export async function get(key: string, { json, show }: { json?: boolean; show?: boolean }): Promise<void> {
  const { loaded } = await loadWithPlugins(surroundings());
  const keys = split(key);
  const value = getIn(loaded.config, keys);
  if (value === undefined)
    throw new HermesError("not_found", `There is no key ${key}.`, {
      hint: "`hermes config show` lists all keys.",
    });
  const shown = show ? value : maskSecrets(value, keys);
  if (json || (typeof shown === "object" && shown !== null)) printJson(shown);
  else print(shown === null ? "null" : String(shown));
}

/** The value is YAML, so `5` is a number, `[a, b]` a list, and `"5"` a text. */
export async function set(key: string, text: string, { json }: { json?: boolean }): Promise<void> {
  await change(key, yamlValue(text), json);
}

export async function unset(key: string, { json }: { json?: boolean }): Promise<void> {
  await change(key, undefined, json);
}

async function change(key: string, value: unknown, json = false): Promise<void> {
  const { home } = surroundings();
  const before = readTexts(home);
  const after = { ...before, config: editYaml(before.config, [{ path: split(key), value }]) };
  await loadWithPlugins({ ...surroundings(), texts: after }).catch((error: unknown) => {
    throw error instanceof ConfigError ? wouldBeInvalid(error) : error;
  });
  const changes = changedFiles(before, after);
  if (changes.length > 0) await writeTexts(home, before, after);
  if (json) printJson({ changed: changes.length > 0 });
  else if (changes.length === 0)
    print(value === undefined ? `${key} isn't set in config.yaml.` : "It already has this value.");
  else print([...drawChanges(changes), RESTART].join("\n"));
}

function wouldBeInvalid({ faults, hint }: ConfigError): HermesError {
  const lines = faults.map((fault) => `  ${faultLine(fault)}`);
  return new HermesError(
    "invalid",
    ["Nothing was changed: config.yaml would be invalid.", ...lines].join("\n"),
    { hint },
  );
}

function surroundings() {
  return { home: resolveHome(io().env), env: io().env };
}

function split(key: string): string[] {
  const keys = key.split(".");
  if (keys.some((word) => word === ""))
    throw new Misuse(`'${key}' isn't a valid key.`, "Write it with dots: session_reset.mode.");
  return keys;
}

function yamlValue(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new Misuse(`'${text}' is not a YAML value: ${error.message}`, "Quote text: '\"a: b\"'.");
  }
}

// --- edit -----------------------------------------------------------------------------------------------------------

/** Edits a copy: the file itself changes only when the result loads. */
export async function edit(): Promise<void> {
  if (!tty()) throw new Misuse("There is no terminal for an editor.", "Use `hermes config set KEY VALUE`.");
  const { home } = surroundings();
  const before = readTexts(home);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-config-"));
  const copy = path.join(folder, "config.yaml");
  let isKept = false;
  try {
    fs.writeFileSync(copy, before.config, { mode: 0o600 });
    const after = await edited(copy, before);
    const changes = after ? changedFiles(before, after) : [];
    if (!after || changes.length === 0) return print("Nothing was changed.");
    await writeTexts(home, before, after).catch((error: unknown) => {
      isKept = true;
      throw notSaved(error, copy, homePaths(home).configFile);
    });
    print([...drawChanges(changes), `Saved ${homePaths(home).configFile}. ${RESTART}`].join("\n"));
  } finally {
    if (!isKept) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** What was typed isn't lost. */
function notSaved(error: unknown, copy: string, file: string): unknown {
  if (!(error instanceof HermesError)) return error;
  return new HermesError(error.code, `${error.message} Your version is kept in ${copy}.`, {
    hint: `Compare them with \`diff ${file} ${copy}\`, and edit again.`,
    cause: error,
  });
}

/** Undefined if the user gave up. */
async function edited(copy: string, before: ConfigTexts): Promise<ConfigTexts | undefined> {
  for (;;) {
    await openEditor(copy);
    const after = { ...before, config: fs.readFileSync(copy, "utf8") };
    try {
      await loadWithPlugins({ ...surroundings(), texts: after });
      return after;
    } catch (error) {
      for (const line of faultsOf(error)) printError(line);
      if (!(await agrees("The file is invalid. Edit it again?"))) return undefined;
    }
  }
}

function faultsOf(error: unknown): string[] {
  if (error instanceof ConfigError) return error.faults.map(faultLine);
  if (error instanceof HermesError) return [error.message];
  throw error;
}

/** The variables may contain arguments, such as `code --wait`. */
async function openEditor(file: string): Promise<void> {
  const { env } = io();
  const [program, ...args] = (env.VISUAL || env.EDITOR || "vi").split(" ").filter((word) => word !== "");
  const editor = spawn(program!, [...args, file], { stdio: "inherit", env });
  const failed = new HermesError("unavailable", `The editor ${program} can't be started.`, {
    hint: "Name one in EDITOR, for example EDITOR=nano hermes config edit.",
  });
  const [code] = await once(editor, "exit").catch(() => {
    throw failed;
  });
  if (code !== 0) throw new HermesError("refused", `The editor ended with code ${code}: nothing was saved.`);
}
