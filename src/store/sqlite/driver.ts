import fs from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { HermesError } from "../../errors.js";

/** Since Node 24.19 its headers put this into what is compiled with them. */
const HOOK = "RemoveEnvironmentCleanupHook";
const SINCE_NODE = 24;

/**
 * better-sqlite3 12 has objects that take this hook back when they are garbage collected. Where that happens outside of
 * any JavaScript, Node ends the process, at any moment. Version 13 is made otherwise (and needs Node 22).
 */
export function requireSafeDriver(): void {
  if (Number.parseInt(process.versions.node, 10) < SINCE_NODE) return;
  const fault = driverFault(compiledDriver());
  if (fault) throw fault;
}

export function driverFault(binary: string): HermesError | undefined {
  if (!fs.existsSync(binary) || !fs.readFileSync(binary).includes(HOOK)) return undefined;
  return new HermesError(
    "unavailable",
    `better-sqlite3, as it was compiled here, makes Node ${process.version} abort at random.`,
    { hint: "Run `npm install --no-save better-sqlite3@13.0.3` where the gateway is installed." },
  );
}

/** What an install script has built; version 13 brings its binaries along elsewhere. */
function compiledDriver(): string {
  const entry = createRequire(import.meta.url).resolve("better-sqlite3");
  return join(entry, "../../build/Release/better_sqlite3.node");
}
