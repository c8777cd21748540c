import { median } from "./measure.js";
import { besidePrevious, type Figure, keep } from "./previous.js";
import type { BenchOptions } from "./run.js";
import { withScratch } from "./scratch.js";
import { noPlatforms, type Started, startOnce, threePlatforms, type Watch } from "./start/daemon.js";

const RESULTS = new URL("./results-start.json", import.meta.url);

/** Start time and idle memory of the daemon in new homes, with the last saved figures beside them. */
export async function bench({ quick, write }: BenchOptions): Promise<void> {
  const starts = quick ? 2 : 5;
  const watch: Watch = quick ? { fromMs: 2000, toMs: 3000 } : { fromMs: 30_000, toMs: 60_000 };
  const figures = await withScratch(async (folder) => {
    const none = await measured(folder, noPlatforms, starts, watch);
    const three = await measured(folder, threePlatforms, starts, watch);
    return [
      ...figuresOf("no platform", none, { memory: 100 }),
      ...figuresOf("three platforms", three, { start: 1200, memory: 140 }),
    ];
  });
  console.log(besidePrevious(RESULTS, figures));
  if (write) keep(RESULTS, figures);
}

/** The first start warms the disk cache and isn't counted. Memory is measured on one daemon. */
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

function figuresOf(
  what: string,
  { startMs, cpuMs, rssBytes }: Started,
  target: { start?: number; memory: number },
): Figure[] {
  return [
    {
      what: `start, ${what}`,
      value: startMs,
      unit: "ms",
      ...(target.start === undefined ? {} : { target: target.start }),
    },
    { what: `processor time of a start, ${what}`, value: cpuMs, unit: "ms" },
    { what: `idle memory, ${what}`, value: rssBytes / 2 ** 20, unit: "MB", target: target.memory },
  ];
}
