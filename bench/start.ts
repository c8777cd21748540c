import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { median, megabytes } from "./measure.js";
import type { BenchOptions } from "./run.js";
import { withScratch } from "./scratch.js";
import { noPlatforms, type Started, startOnce, threePlatforms, type Watch } from "./start/daemon.js";

const RESULTS = new URL("./results-start.md", import.meta.url);

interface Figure {
  what: string;
  now: string;
  target: string;
  met: boolean;
}

/** How long a start takes and how much memory an idle daemon has, in new homes, with the figures of the last report beside. */
export async function bench({ quick, write }: BenchOptions): Promise<void> {
  const starts = quick ? 2 : 5;
  const watch: Watch = quick ? { fromMs: 2000, toMs: 3000 } : { fromMs: 30_000, toMs: 60_000 };
  const figures = await withScratch(async (folder) => {
    const none = await measured(folder, noPlatforms, starts, watch);
    const three = await measured(folder, threePlatforms, starts, watch);
    return [
      duration("start, no platform", none, undefined),
      duration("start, three platforms", three, 1200),
      memory("idle memory, no platform", none, 100),
      memory("idle memory, three platforms", three, 140),
    ];
  });
  const report = describe(figures, lastReport());
  console.log(report);
  if (write) fs.writeFileSync(RESULTS, report);
}

/** The first start warms the disk's cache and isn't counted; one daemon is watched for its memory. */
async function measured(
  folder: string,
  scene: typeof threePlatforms | typeof noPlatforms,
  starts: number,
  watch: Watch,
): Promise<Started> {
  const once = async (watched: Watch) => {
    const platforms = await scene();
    try {
      return await startOnce(folder, platforms, watched);
    } finally {
      await platforms.close();
    }
  };
  const unwatched = { fromMs: 0, toMs: 1 };
  await once(unwatched);
  const all: Started[] = [];
  for (let i = 1; i < starts; i += 1) all.push(await once(unwatched));
  const last = await once(watch);
  all.push(last);
  return {
    startMs: median(all.map(({ startMs }) => startMs)),
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
    rssBytes: last.rssBytes,
  };
}

function duration(what: string, { startMs, cpuMs }: Started, maxMs: number | undefined): Figure {
  return {
    what,
    now: `${(startMs / 1000).toFixed(2)} s (${(cpuMs / 1000).toFixed(2)} s of a core)`,
    target: maxMs === undefined ? "" : `< ${maxMs / 1000} s`,
    met: maxMs === undefined || startMs < maxMs,
  };
}

function memory(what: string, { rssBytes }: Started, maxMegabytes: number): Figure {
  return {
    what,
    now: megabytes(rssBytes),
    target: `≤ ${maxMegabytes} MB`,
    met: rssBytes <= maxMegabytes * 1e6,
  };
}

interface Report {
  commit: string;
  /** What was measured → its figure. */
  figures: ReadonlyMap<string, string>;
}

function lastReport(): Report | undefined {
  if (!fs.existsSync(RESULTS)) return undefined;
  const text = fs.readFileSync(RESULTS, "utf8");
  const rows = [...text.matchAll(/^\| ([^|]+?) \| ([^|]+?) \|/gm)];
  return {
    commit: /^Commit (\w+)/m.exec(text)?.[1] ?? "before",
    figures: new Map(rows.map(([, what, now]) => [what!, now!])),
  };
}

function describe(figures: readonly Figure[], last: Report | undefined): string {
  const commit = String(execFileSync("git", ["rev-parse", "--short", "HEAD"])).trim();
  const cells = figures.map(({ what, now, target, met }) => [
    what,
    now,
    last?.figures.get(what) ?? "",
    target,
    met ? "yes" : "**no**",
  ]);
  const all = [
    ["what", "now", last?.commit ?? "before", "target", "met"],
    ["---", "--:", "--:", "--:", "---"],
    ...cells,
  ];
  return `# Bench: start

A daemon in a new home: from spawn to \`/readyz\` 200 with its platforms connected (median), and its resident memory while
it has nothing to do (median over 30 to 60 s after the start). The platforms are emulated on the same machine.

${all.map((row) => `| ${row.join(" | ")} |`).join("\n")}

Commit ${commit}, ${os.cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}. Repeat with \`npm run bench -- start --write\`.
`;
}
