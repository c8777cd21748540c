/**
 * `npm run conformance`: the checks of `@modelcontextprotocol/conformance` against our MCP client and against `/mcp`. Installs
 * the package into the user's cache at the first run. `--list` shows what is checked.
 */
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { endAll } from "../support/at-end.js";
import { installPackage } from "../support/cached-package.js";
import { checkedGateway } from "./gateway.js";
import { CLIENT, PACKAGE, reasonFor, type Scenarios, SERVER, VERSION } from "./scenarios.js";

const PROGRAM = fileURLToPath(new URL("./client.ts", import.meta.url));
const TSX = fileURLToPath(new URL("../../node_modules/tsx/dist/cli.mjs", import.meta.url));
const LAST_CHARS = 3000;
const SIDES = { client: CLIENT, server: SERVER };

const program = path.join(installPackage(PACKAGE, VERSION), "dist/index.js");
/** The checks leave files where they run. */
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-conformance-"));
try {
  for (const side of ["client", "server"] as const) await unlisted(side);
  if (!process.argv.includes("--list")) await check();
} finally {
  await endAll();
  fs.rmSync(folder, { recursive: true, force: true });
}

async function check(): Promise<void> {
  const command = [process.execPath, TSX, PROGRAM].join(" ");
  const failed = [
    ...(await all("client", CLIENT, ["--command", command])),
    ...(await all("server", SERVER, ["--url", await checkedGateway()])),
  ];
  if (failed.length === 0) return;
  console.error(`Failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

/** Shows what is left out. A scenario that isn't in our lists is an error. */
async function unlisted(side: keyof typeof SIDES): Promise<void> {
  const { output } = await run(["list", `--${side}`]);
  const names = [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!);
  for (const name of names) {
    const reason = reasonFor(name, SIDES[side]);
    const passes = SIDES[side].pass.includes(name);
    if (passes === (reason !== undefined)) throw new Error(`${side} ${name} isn't in scenarios.ts, or twice`);
    console.log(`${side} ${name}: ${passes ? "checked" : `left out: ${reason}`}`);
  }
}

/** Those that failed. */
async function all(side: string, { pass }: Scenarios, args: string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const name of pass) {
    const { ok, output } = await run([side, ...args, "--scenario", name]);
    console.log(`${side} ${name}: ${ok ? "passed" : "FAILED"}`);
    if (ok) continue;
    console.log(output.slice(-LAST_CHARS));
    failed.push(name);
  }
  return failed;
}

function run(args: string[]): Promise<{ ok: boolean; output: string }> {
  const stdio: ("ignore" | "pipe")[] = ["ignore", "pipe", "pipe"];
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, stdio });
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ok: code === 0, output }));
  });
}
