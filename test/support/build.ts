import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/**
 * Threads and processes that tests start run the compiled program, as users do: compile it first. Type errors are
 * `npm run build`'s to stop at; the code comes out all the same. The dashboard is built when it has changed.
 */
export default function build(): void {
  run("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
  must(run("--import", "tsx", "scripts/bundle.ts"));
  if (changedAt("dist/dashboard/index.html") < newest("dashboard", "assets/web"))
    must(run("node_modules/vite/bin/vite.js", "build", "dashboard"));
}

function run(...args: string[]): number | null {
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status;
}

/** Otherwise the tests would run an older program. */
function must(status: number | null): void {
  if (status !== 0) throw new Error("The program could not be built");
}

function newest(...folders: string[]): number {
  const files = folders.flatMap((folder) =>
    fs.readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name))),
  );
  return Math.max(...files.map(changedAt));
}

function changedAt(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
