import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** The bundler writes it last. */
const BUNDLED = "dist/chunks/LICENSES.txt";
const COMPILED = "dist/index.d.ts";

/** Type errors don't stop it: `npm run check` reports them, and tsc writes the code anyway. */
export function compile(): void {
  spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
}

/** The program and its threads, unless they are up to date. tsc overwrites what the bundler wrote. */
export function bundleProgram(): void {
  if (isOlder(BUNDLED, Math.max(sourceChangedAt("src"), changedAt(COMPILED))))
    runNode("--import", "tsx", "scripts/bundle.ts");
}

/** Throws where it fails: otherwise the tests would run an older program. */
export function runNode(...args: string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) throw new Error(`Building the program failed: node ${args.join(" ")}`);
}

export function isOlder(file: string, than: number): boolean {
  return changedAt(file) < than;
}

/** The latest change of a file or folder in there; a deleted file changes its folder. */
export function sourceChangedAt(...folders: string[]): number {
  const names = folders.flatMap((folder) => [
    folder,
    ...fs.readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name))),
  ]);
  return Math.max(changedAt("package.json"), ...names.map(changedAt));
}

function changedAt(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
