import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { closeEmulated, platformsSection, startEmulated } from "../../test/emulators/all.js";
import type { Emulated } from "../../test/emulators/emulated.js";
import { median } from "../measure.js";

const PROGRAM = fileURLToPath(new URL("../../dist/cli/hermes.js", import.meta.url));
/** For a process that collects its garbage at a signal. */
const COLLECTING = ["--expose-gc", "--import", `data:text/javascript,process.on("SIGUSR2",()=>{gc();gc()})`];
const LOOK_EVERY_MS = 5;
const MAX_START_MS = 60_000;

export interface Watch {
  /** Memory is measured from here, relative to the start. */
  fromMs: number;
  toMs: number;
  /** Garbage is collected first: what is left is needed. */
  afterCollection?: boolean;
  program?: string;
}

export interface Started {
  /** From spawn to `/readyz` 200 with all platforms connected. */
  startMs: number;
  /** CPU time until then: less affected by other load. */
  cpuMs: number;
  /** Resident memory, median of the samples. */
  rssBytes: number;
}

/** Starts the daemon in a new home on these emulated platforms, measures its idle memory, and stops it. */
export async function startOnce(folder: string, names: readonly string[], watch: Watch): Promise<Started> {
  const emulated = await startEmulated(names);
  try {
    return await startOn(folder, emulated, watch);
  } finally {
    await closeEmulated(emulated);
  }
}

async function startOn(folder: string, emulated: readonly Emulated[], watch: Watch): Promise<Started> {
  const home = fs.mkdtempSync(path.join(folder, "home-"));
  const yaml = `allow_all: true\n${platformsSection(emulated)}`;
  fs.writeFileSync(path.join(home, "config.yaml"), yaml, { mode: 0o600 });
  const port = await freePort();
  for (const { gatewayAt } of emulated) gatewayAt?.(`http://127.0.0.1:${port}`);
  const startedAt = performance.now();
  const options = watch.afterCollection ? COLLECTING : [];
  const args = [...options, watch.program ?? PROGRAM, "gateway", "--port", String(port)];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HERMES_HOME: home },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    await untilReady(child, `http://127.0.0.1:${port}/readyz`, emulated);
    const startMs = performance.now() - startedAt;
    const cpuMs = processorMs(child.pid!);
    return { startMs, cpuMs, rssBytes: await idleMemory(child, watch) };
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  }
}

async function untilReady(child: ChildProcess, url: string, emulated: readonly Emulated[]): Promise<void> {
  const giveUpAt = performance.now() + MAX_START_MS;
  while (performance.now() < giveUpAt && child.exitCode === null) {
    const isReady = await fetch(url).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady && emulated.every((one) => one.isConnected())) return;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(child.exitCode === null ? "The daemon didn't become ready" : "The daemon exited");
}

async function idleMemory(child: ChildProcess, { fromMs, toMs, afterCollection }: Watch): Promise<number> {
  const pid = child.pid!;
  await pause(fromMs / 2);
  if (afterCollection) child.kill("SIGUSR2");
  await pause(fromMs / 2);
  const seen: number[] = [];
  for (const until = performance.now() + toMs - fromMs; performance.now() < until; await pause(500))
    seen.push(residentBytes(pid));
  return median(seen);
}

function residentBytes(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const TICK_MS = 10;

/** User and system time are fields 14 and 15; the program's name in field 2 may contain spaces. */
function processorMs(pid: number): number {
  const fields = fs
    .readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
