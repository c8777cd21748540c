/** Which of Hermes Agent's settings the gateway reads: `config.yaml`, `.env`, and an old `gateway.json`. */

import { join } from "node:path";
import { KNOWN_PLATFORMS } from "../../config/checks.js";
import { parseEnvFile } from "../../config/dotenv.js";
import { variablesKnown } from "../../config/environment.js";
import { ConfigError, faultLine } from "../../config/faults.js";
import { type LoadedConfig, loadConfig } from "../../config/load.js";
import { nearest } from "../../config/nearest.js";
import { homePaths } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import { isTree } from "../../config/tree.js";
import { type Finding, found } from "../../finding.js";
import { readRegularSync } from "../../regular-file.js";
import { type Check, named } from "../doctor/report.js";
import { io } from "../io.js";
import { counted } from "../numbers.js";

export interface Settings {
  checks: Check[];
  /** Undefined if it doesn't load. */
  config: Config | undefined;
}

export function checkSettings(home: string): Settings {
  const { findings, config } = checkConfig(home);
  const platforms = [...KNOWN_PLATFORMS, ...Object.keys(config?.platforms ?? {})];
  const env = readText(homePaths(home).envFile);
  const old = readText(join(home, "gateway.json"));
  return {
    config,
    checks: [
      ...named("config.yaml", findings),
      ...named(".env", env === undefined ? [] : judgeVariables(env, variablesKnown(platforms))),
      ...named("gateway.json", old === undefined ? [] : [judgeOldSettings(old)]),
    ],
  };
}

function checkConfig(home: string): { findings: Finding[]; config: Config | undefined } {
  try {
    const loaded = loadConfig({ home, env: io().env });
    return { findings: [describeKeys(loaded)], config: loaded.config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map(faultLine).join("\n");
    const fix = "Fix or remove these, then run `hermes config check`.";
    return { findings: [found.fail(faults, fix)], config: undefined };
  }
}

function describeKeys({ sources, ignored }: Pick<LoadedConfig, "sources" | "ignored">): Finding {
  const used = Object.values(sources).filter((source) => source.startsWith("config.yaml")).length;
  const theirs = ignored.map(({ path }) => path).join(", ");
  const unused = theirs === "" ? "" : `; Hermes Agent's own: ${theirs}`;
  return found.ok(`${counted(used, "key")} in use${unused}`);
}

/** A shared `.env` has many variables of other programs, so report only names similar to ours. */
const MAX_EDITS = 2;

export function judgeVariables(text: string, known: readonly string[]): Finding[] {
  const names = [...parseEnvFile(text).variables.keys()];
  const used = names.filter((name) => known.includes(name));
  const others = names.filter((name) => !known.includes(name));
  const slips = others.flatMap((name) => {
    const meant = nearest(name, known, MAX_EDITS);
    return meant === undefined || names.includes(meant) ? [] : [{ name, meant }];
  });
  return [
    found.ok(`${used.length === 0 ? "nothing" : used.join(", ")} in use, ${others.length} not the gateway's`),
    ...slips.map(({ name, meant }) => found.warn(`${name} is unknown`, `Did you mean ${meant}?`)),
  ];
}

const MOVABLE = ["reset_by_platform", "reset_by_type"];

/** Hermes Agent reads these two from nowhere else; we read them in `config.yaml`. */
export function judgeOldSettings(text: string): Finding {
  const keys = keysIn(text);
  if (keys === undefined) return found.ok("is invalid and was ignored");
  const wanted = MOVABLE.filter((key) => keys.includes(key));
  if (wanted.length === 0) return found.ok("is not read: config.yaml has everything");
  return found.warn(
    `is not read, and has ${wanted.join(" and ")}`,
    `Add ${wanted.length === 1 ? "it" : "them"} to config.yaml.`,
  );
}

function keysIn(text: string): string[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isTree(parsed) ? Object.keys(parsed) : undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readRegularSync(path);
  } catch {
    return undefined;
  }
}
