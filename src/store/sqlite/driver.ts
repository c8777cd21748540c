import fs from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type BetterSqlite3 from "better-sqlite3";
import { HermesError } from "../../errors.js";

/**
 * Loads the line of better-sqlite3 that runs on this Node. Version 13 needs Node 22 and segfaults on Node 20. Version 12,
 * compiled with the headers of Node 24.19 or later, aborts at random. A checkout locks both, version 12 under the name
 * `better-sqlite3-12`, and npm installs the one that fits: drivers/README.md.
 */

const V13_SINCE_NODE = 22;
const HOOK_SINCE_NODE = 24;
/** Node's headers add this symbol to compiled addons since 24.19. */
const HOOK = "RemoveEnvironmentCleanupHook";

export interface InstalledDriver {
  name: string;
  version: string;
}

/** The installed line that fits, or undefined. Node 22 and later prefer version 13, but can run a prebuilt 12. */
export function chooseDriver(
  nodeVersion: string,
  installed: readonly InstalledDriver[],
): InstalledDriver | undefined {
  const lineOf = (major: number) => installed.find(({ version }) => majorOf(version) === major);
  return majorOf(nodeVersion) < V13_SINCE_NODE ? lineOf(12) : (lineOf(13) ?? lineOf(12));
}

const require = createRequire(import.meta.url);
const driver = requireDriver();

export const Database = require(driver.name) as typeof BetterSqlite3;

function requireDriver(): InstalledDriver {
  const found = chooseDriver(
    process.versions.node,
    ["better-sqlite3", "better-sqlite3-12"].flatMap(installed),
  );
  if (found) return found;
  throw unusable(
    `better-sqlite3 is not installed, or not in a version that runs on Node ${process.version}.`,
  );
}

function installed(name: string): InstalledDriver[] {
  try {
    const { version } = require(`${name}/package.json`) as { version: string };
    return [{ name, version }];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return [];
    throw error;
  }
}

/**
 * Version 12 has objects that remove that hook when they are garbage collected. If that happens outside
 * JavaScript, Node aborts the process.
 */
export function requireSafeDriver(): void {
  if (majorOf(process.versions.node) < HOOK_SINCE_NODE || majorOf(driver.version) !== 12) return;
  const fault = driverFault(compiledDriver());
  if (fault) throw fault;
}

export function driverFault(binary: string): HermesError | undefined {
  if (!fs.existsSync(binary) || !fs.readFileSync(binary).includes(HOOK)) return undefined;
  return unusable(`better-sqlite3, as it was compiled here, makes Node ${process.version} abort at random.`);
}

function unusable(message: string): HermesError {
  const wanted = majorOf(process.versions.node) < V13_SINCE_NODE ? "12.11.1" : "13.0.3";
  return new HermesError("unavailable", message, {
    hint: `Run \`npm ci\` with this Node in a checkout; elsewhere \`npm install --no-save better-sqlite3@${wanted}\`.`,
  });
}

function compiledDriver(): string {
  return join(require.resolve(driver.name), "../../build/Release/better_sqlite3.node");
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}
