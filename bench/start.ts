import os from "node:os";
import { EMULATED_NAMES } from "../test/emulators/all.js";
import { median } from "./measure.js";
import { besidePrevious, type Figure, keep } from "./previous.js";
import type { BenchOptions } from "./run.js";
import { withScratch } from "./scratch.js";
import { keepSection } from "./sections.js";
import { type Started, startOnce, type Watch } from "./start/daemon.js";

const FIGURES = new URL("./results-start.json", import.meta.url);
const RESULTS = new URL("./results.md", import.meta.url);
const THREE = ["telegram", "discord", "slack"];

interface Plan {
  starts: number;
  watch: Watch;
}

const FULL: Plan = { starts: 5, watch: { fromMs: 30_000, toMs: 60_000 } };
const COLLECTED: Watch = { fromMs: 4000, toMs: 6000, afterCollection: true };
const QUICK: Plan = { starts: 2, watch: { fromMs: 2000, toMs: 3000 } };

/** Start time and idle memory of the daemon in new homes, with the last saved figures beside them. */
export async function bench({ quick, write }: BenchOptions): Promise<void> {
  const figures = await withScratch((folder) => measureAll(folder, quick ? QUICK : FULL));
  const table = besidePrevious(FIGURES, figures);
  console.log(table);
  if (!write) return;
  keepSection(RESULTS, sectionOf(table));
  keep(FIGURES, figures);
}

async function measureAll(folder: string, { starts, watch }: Plan): Promise<Figure[]> {
  const none = await measured(folder, [], starts, watch);
  const three = await measured(folder, THREE, starts, watch);
  const all = await measured(folder, EMULATED_NAMES, starts, watch);
  return [
    ...figuresOf("no platform", none, { memory: 100 }),
    ...figuresOf("three platforms", three, { start: 1200, memory: 140 }),
    ...figuresOf("all platforms", all, { start: 2000 }),
    ...(await memoryOfEach(folder)),
  ];
}

/** Platforms share libraries: all of them need less than each alone. */
async function memoryOfEach(folder: string): Promise<Figure[]> {
  const needed = async (names: readonly string[]) => (await startOnce(folder, names, COLLECTED)).rssBytes;
  const none = await needed([]);
  const figure = (what: string, bytes: number): Figure => ({ what, value: megabytes(bytes), unit: "MB" });
  const all = (await needed(EMULATED_NAMES)) - none;
  const figures = [figure("memory for each platform, all together", all / EMULATED_NAMES.length)];
  for (const name of EMULATED_NAMES)
    figures.push(figure(`memory for ${name} alone`, (await needed([name])) - none));
  return figures;
}

/** The first start warms the disk cache and isn't counted. Memory is measured on one daemon. */
async function measured(
  folder: string,
  names: readonly string[],
  starts: number,
  watch: Watch,
): Promise<Started> {
  const unwatched = { fromMs: 0, toMs: 1 };
  await startOnce(folder, names, unwatched);
  const all: Started[] = [];
  for (let i = 1; i < starts; i += 1) all.push(await startOnce(folder, names, unwatched));
  const last = await startOnce(folder, names, watch);
  all.push(last);
  return {
    startMs: median(all.map(({ startMs }) => startMs)),
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
    rssBytes: last.rssBytes,
  };
}

const megabytes = (bytes: number) => bytes / 2 ** 20;

function figuresOf(
  what: string,
  { startMs, cpuMs, rssBytes }: Started,
  target: { start?: number; memory?: number },
): Figure[] {
  const below = (most: number | undefined) => (most === undefined ? {} : { target: most });
  return [
    { what: `start, ${what}`, value: startMs, unit: "ms", ...below(target.start) },
    { what: `processor time of a start, ${what}`, value: cpuMs, unit: "ms" },
    { what: `idle memory, ${what}`, value: megabytes(rssBytes), unit: "MB", ...below(target.memory) },
  ];
}

function sectionOf(table: string): string {
  const date = new Date().toISOString().slice(0, 10);
  return `## Start and memory of the daemon

From the start of the process to \`/readyz\` 200 with all its platforms connected, in a new home, against emulators on the
same machine. All platforms: ${EMULATED_NAMES.join(", ")}. Memory for a platform is what the daemon needs
more than without platforms, after a garbage collection; platforms share libraries.

${table}

${date}, ${os.cpus().length} cores, Node ${process.version}, load ${os.loadavg()[0]!.toFixed(1)} after the run. Repeat with \`npm run bench -- start --write\`.
`;
}
