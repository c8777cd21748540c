/** Packages for tryouts that aren't dependencies: installed once, into the user's cache. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** The last one that runs on Node 20. */
export const CLAUDE_CODE = ["@zed-industries/claude-code-acp", "0.16.2"] as const;

const CACHE = path.join(
  process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"),
  "hermes-gateway",
  "packages",
);

/** Its folder; undefined: it isn't installed. */
export function cachedPackage(name: string, version: string): string | undefined {
  const folder = path.join(placeOf(name, version), "node_modules", name);
  return fs.existsSync(path.join(folder, "package.json")) ? folder : undefined;
}

/** Installs it if it isn't there. Run by `npm run`, which says where npm is. */
export function installPackage(name: string, version: string): string {
  const known = cachedPackage(name, version);
  if (known !== undefined) return known;
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error("Run it with `npm run`");
  const place = placeOf(name, version);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  const fresh = fs.mkdtempSync(`${place}-`);
  const options = ["--prefix", fresh, "--no-audit", "--no-fund", "--no-save", "--silent"];
  execFileSync(process.execPath, [npm, "install", ...options, `${name}@${version}`], {
    cwd: fresh,
    stdio: ["ignore", "ignore", "inherit"],
  });
  // A half installed one never counts.
  fs.rmSync(place, { recursive: true, force: true });
  fs.renameSync(fresh, place);
  return cachedPackage(name, version)!;
}

function placeOf(name: string, version: string): string {
  return path.join(CACHE, `${name.split("/").at(-1)}-${version}`);
}
