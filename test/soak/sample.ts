/** What a running gateway costs at one moment. */
import fs from "node:fs";

export interface Sample {
  minute: number;
  rssMb: number;
  /** Open file descriptors. */
  descriptors: number;
  /** What keeps Node's event loop alive: sockets, timers, threads. */
  handles: number;
  databaseMb: number;
  walMb: number;
  loopP99Ms: number;
  loopMaxMs: number;
}

const MEGABYTE = 1024 * 1024;

export async function sampleOf(
  { pid, url, stateDb }: { pid: number; url: string; stateDb: string },
  minute: number,
): Promise<Sample> {
  const metrics = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(30_000) })).text();
  return {
    minute,
    rssMb: residentMb(pid),
    descriptors: fs.readdirSync(`/proc/${pid}/fd`).length,
    handles: metricOf(metrics, "nodejs_active_resources_total"),
    databaseMb: sizeMb(stateDb),
    walMb: sizeMb(`${stateDb}-wal`),
    loopP99Ms: metricOf(metrics, "nodejs_eventloop_lag_p99_seconds") * 1000,
    loopMaxMs: metricOf(metrics, "nodejs_eventloop_lag_max_seconds") * 1000,
  };
}

function metricOf(metrics: string, name: string): number {
  const line = metrics.split("\n").find((text) => text.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
}

function residentMb(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}

function sizeMb(file: string): number {
  return (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) / MEGABYTE;
}
