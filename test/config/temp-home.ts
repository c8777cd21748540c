import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ConfigError, type Fault } from "../../src/config/faults.js";
import { type LoadedConfig, loadConfig } from "../../src/config/load.js";

export interface Given {
  yaml?: string;
  dotenv?: string;
  env?: Record<string, string>;
  flags?: Record<string, unknown>;
}

/** A real directory that is gone when the test is over. */
export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), "hermes-config-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

export function load({ yaml, dotenv, env = {}, flags = {} }: Given, home = temporaryHome()): LoadedConfig {
  if (yaml !== undefined) writeFileSync(join(home, "config.yaml"), yaml);
  if (dotenv !== undefined) writeFileSync(join(home, ".env"), dotenv);
  return loadConfig({ home, env, flags });
}

export function faultsOf(given: Given): readonly Fault[] {
  try {
    load(given);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
