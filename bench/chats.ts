import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { loadConfig } from "../src/config/load.js";
import type { GatewayParts } from "../src/pipeline/parts.js";
import { FilesThread } from "../src/sessions/files-thread.js";
import { waitAfter } from "../src/sessions/index-writer.js";
import { openStore } from "../src/store/sqlite/index.js";
import { Sweep } from "../src/upkeep/sweep.js";
import { Daemon } from "./chats/daemon.js";
import { makeHome } from "./chats/home.js";
import { MainThread } from "./chats/profile.js";
import { Clients } from "./http/load.js";
import { median } from "./measure.js";
import { besidePrevious, type Figure, keep } from "./previous.js";
import type { BenchOptions } from "./run.js";
import { withScratch } from "./scratch.js";

const RESULTS = new URL("./results-chats.json", import.meta.url);
const STARTS = 3;
const KEY = "bench-key";

/** The cost of 50,000 idle chats, and the main-thread cost of a turn without the agent. */
export async function bench({ quick, write }: BenchOptions): Promise<void> {
  const chats = quick ? 5000 : 50_000;
  const figures = await withScratch(async (folder) => {
    const home = path.join(folder, "home");
    await makeHome(home, chats);
    return [
      ...(await startAndMemory(home, quick ? [3, 6] : [30, 60])),
      ...(await sweeps(home)),
      ...(await indexFile(home)),
      ...(await turns(path.join(folder, "turns"), quick ? 300 : 3000)),
    ];
  });
  console.log(`# Bench: ${chats.toLocaleString("en")} chats

${besidePrevious(RESULTS, figures)}

${os.cpus().length} cores, Node ${process.version}. Save these figures with \`npm run bench -- chats --write\`.
`);
  if (write) keep(RESULTS, figures);
}

async function startAndMemory(home: string, [from, to]: readonly number[]): Promise<Figure[]> {
  // The first start migrates the file and writes sessions.json.
  await (await Daemon.start(home)).stop();
  const starts: number[] = [];
  for (let n = 1; n < STARTS; n += 1) {
    const daemon = await Daemon.start(home);
    starts.push(daemon.readyMs);
    await daemon.stop();
  }
  const daemon = await Daemon.start(home);
  starts.push(daemon.readyMs);
  await pause(from! * 1000);
  const rss: number[] = [];
  for (let second = from!; second < to!; second += 1) {
    rss.push(daemon.rssMegabytes());
    await pause(1000);
  }
  await daemon.stop();
  return [
    { what: "start to /readyz", value: median(starts), unit: "ms", target: 1500 },
    { what: `memory after ${from} to ${to} s`, value: median(rss), unit: "MB", target: 250 },
  ];
}

async function sweeps(home: string): Promise<Figure[]> {
  const store = await openStore({ path: path.join(home, "state.db"), foreign: "adopt" });
  const parts = {
    ...{ store, homeDir: home, routesChanged: () => undefined },
    config: loadConfig({ home, env: {}, flags: { "session_reset.mode": "idle", "media.retention_days": 0 } })
      .config,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  } as Partial<GatewayParts> as GatewayParts;
  const sweep = new Sweep(
    parts,
    () => false,
    () => undefined,
  );
  const first = await onThisThread(() => sweep.run());
  const next = await onThisThread(() => sweep.run());
  await store.close();
  return [
    {
      what: "first sweep after a change of settings, longest stall of the loop",
      value: first.stallMs,
      unit: "ms",
    },
    { what: "a sweep with nothing due, from begin to end", value: next.wallMs, unit: "ms" },
    { what: "a sweep with nothing due, on the main thread", value: next.busyMs, unit: "ms" },
  ];
}

async function indexFile(home: string): Promise<Figure[]> {
  const files = new FilesThread();
  const target = { path: path.join(home, "index.json"), stateDb: path.join(home, "state.db"), except: "cli" };
  await files.call("writeIndex", target);
  const cpuBefore = process.cpuUsage();
  let threadMs = 0;
  const { busyMs } = await onThisThread(async () => {
    threadMs = (await files.call("writeIndex", target)).busyMs;
  });
  const cpu = process.cpuUsage(cpuBefore);
  await files.close();
  const cpuMs = (cpu.user + cpu.system) / 1000;
  return [
    { what: "sessions.json, a write: processor time in all threads", value: cpuMs, unit: "ms" },
    { what: "sessions.json, a write: main thread", value: busyMs, unit: "ms", target: 10 },
    {
      what: "sessions.json under load: of one core",
      value: (cpuMs / waitAfter(threadMs)) * 100,
      unit: "%",
      target: 2,
    },
  ];
}

async function turns(home: string, requests: number): Promise<Figure[]> {
  fs.mkdirSync(home, { mode: 0o700 });
  const config = `
http: {rate_limit: 0}
max_concurrent_sessions: 0
platforms: {api_server: {api_key: ${KEY}, rate_limit: 0}}
`;
  fs.writeFileSync(path.join(home, "config.yaml"), config, { mode: 0o600 });
  const profiles = path.join(home, "profiles");
  const daemon = await Daemon.start(home, ["--cpu-prof", "--cpu-prof-dir", profiles]);
  const clients = new Clients(daemon.url, 16);
  await clients.run(QUESTION, requests);
  await clients.close();
  await daemon.stop();
  const main = new MainThread(profiles);
  const files = /sessions\/(transcript|files-thread)\.js$|node:internal\/fs\/promises$/;
  return [
    { what: "of a turn's main thread: files", value: main.share((_, url) => files.test(url)), unit: "%" },
    {
      what: "of a turn's main thread: memory files",
      value: main.share((_, url) => url.endsWith("/memory-files.js")),
      unit: "%",
    },
    {
      what: "of a turn's main thread: date formatters",
      value: main.share((name) => name === "DateTimeFormat"),
      unit: "%",
    },
  ];
}

const QUESTION = {
  path: "/v1/chat/completions",
  headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
  body: JSON.stringify({ model: "hermes", messages: [{ role: "user", content: "How is the weather?" }] }),
};

/** Measures the work's duration, this thread's busy time, and its longest stall. */
async function onThisThread(work: () => Promise<unknown>) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const before = performance.eventLoopUtilization();
  const begin = performance.now();
  await work();
  const { active } = performance.eventLoopUtilization(before);
  delays.disable();
  return { wallMs: performance.now() - begin, busyMs: active, stallMs: delays.max / 1e6 };
}
