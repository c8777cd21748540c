/**
 * `npm run try-pack -- [NODE …]`: packs the package, installs it into an empty folder with each of these Node binaries
 * (default: the current one), and runs it with a new home until the first answer.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { tryPackage } from "../test/ship/tryout.js";

const nodes =
  process.argv.length > 2 ? process.argv.slice(2).map((name) => path.resolve(name)) : [process.execPath];
const npm = process.env.npm_execpath;
if (!npm) throw new Error("Run it as `npm run try-pack`");

const base = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-pack-"));
try {
  const packed = execFileSync(process.execPath, [npm, "pack", "--silent", "--pack-destination", base]);
  const tarball = path.join(base, String(packed).trim().split("\n").at(-1)!);
  for (const [i, node] of nodes.entries()) await tryWith(node, tarball, path.join(base, String(i)));
} finally {
  fs.rmSync(base, { recursive: true, force: true });
}

async function tryWith(node: string, tarball: string, base: string): Promise<void> {
  const [folder, userHome] = [path.join(base, "app"), path.join(base, "user")];
  for (const name of [folder, userHome]) fs.mkdirSync(name, { recursive: true });
  const startedAt = performance.now();
  execFileSync(node, [npm!, "install", "--no-audit", "--no-fund", tarball], {
    cwd: folder,
    env: { ...process.env, PATH: `${path.dirname(node)}:${process.env.PATH}`, ...headersOf(node) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const installMs = performance.now() - startedAt;
  const tried = await tryPackage({ folder, userHome, node });
  const version = String(execFileSync(node, ["--version"])).trim();
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  process.stdout.write(
    `Node ${version}: installed in ${seconds(installMs)}, running after ${seconds(tried.readyMs)}, first answer after ${seconds(tried.answerMs)}\n`,
  );
  if (tried.answer !== "hello" || !tried.doctor.ok || tried.exitCode !== 0)
    throw new Error(`Unexpected result: ${JSON.stringify(tried)}`);
}

/** Builds better-sqlite3 with the headers shipped with Node, if there are any. */
function headersOf(node: string): Record<string, string> {
  const home = path.resolve(path.dirname(node), "..");
  return fs.existsSync(path.join(home, "include/node/node.h")) ? { npm_config_nodedir: home } : {};
}
