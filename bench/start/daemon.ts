import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DiscordEmulator } from "../../test/emulators/discord/index.js";
import { SlackEmulator } from "../../test/emulators/slack/index.js";
import { TelegramEmulator } from "../../test/emulators/telegram/index.js";
import { median } from "../measure.js";

const PROGRAM = fileURLToPath(new URL("../../dist/cli/hermes.js", import.meta.url));
const LOOK_EVERY_MS = 5;
const MAX_START_MS = 60_000;

/** The emulated platforms of one daemon. */
export interface Scene {
  yaml: string;
  isConnected(): boolean;
  close(): Promise<unknown>;
}

export function noPlatforms(): Scene {
  return { yaml: "", isConnected: () => true, close: async () => undefined };
}

export async function threePlatforms(): Promise<Scene> {
  const telegram = await new TelegramEmulator().start();
  const discord = new DiscordEmulator();
  await discord.start();
  const slack = await new SlackEmulator().start();
  return {
    yaml: `
allow_all: true
platforms:
  telegram: {token: "${telegram.token}", api_root: "${telegram.url}"}
  discord: {token: "${discord.token}", api_url: "${discord.apiUrl}"}
  slack: {token: "${slack.botToken}", app_token: "${slack.appToken}", api_url: "${slack.apiUrl}"}
`,
    isConnected: () => telegram.updates.isPolled && discord.gateway.connected && slack.sockets.count > 0,
    close: () => Promise.all([telegram.close(), discord.close(), slack.close()]),
  };
}

export interface Watch {
  /** Memory is measured from here, relative to the start. */
  fromMs: number;
  toMs: number;
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

/** Starts the daemon in a new home, measures its idle memory, and stops it. */
export async function startOnce(folder: string, scene: Scene, watch: Watch): Promise<Started> {
  const home = fs.mkdtempSync(path.join(folder, "home-"));
  fs.writeFileSync(path.join(home, "config.yaml"), scene.yaml, { mode: 0o600 });
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [watch.program ?? PROGRAM, "gateway", "--port", String(port)], {
    env: { PATH: process.env.PATH, HERMES_HOME: home },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    await untilReady(child, `http://127.0.0.1:${port}/readyz`, scene);
    const startMs = performance.now() - startedAt;
    const cpuMs = processorMs(child.pid!);
    return { startMs, cpuMs, rssBytes: await idleMemory(child.pid!, watch) };
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  }
}

async function untilReady(child: ChildProcess, url: string, scene: Scene): Promise<void> {
  const giveUpAt = performance.now() + MAX_START_MS;
  while (performance.now() < giveUpAt && child.exitCode === null) {
    const isReady = await fetch(url).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady && scene.isConnected()) return;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(child.exitCode === null ? "The daemon didn't become ready" : "The daemon exited");
}

async function idleMemory(pid: number, { fromMs, toMs }: Watch): Promise<number> {
  await pause(fromMs);
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
