import path from "node:path";
import { median, percentile } from "./measure.js";
import type { BenchOptions } from "./run.js";
import { nextMessage, startChild } from "./store/child.js";
import { markdown, type Row } from "./table.js";
import type { Asked, Measured } from "./turns/side-process.js";

const ROUNDS = 30;

/**
 * Turns of this checkout, compared with those of another one (`HERMES_BENCH_BASE`, a folder in which `npm run build` was run),
 * alternately: other load on the machine affects both.
 */
export async function bench({ quick }: BenchOptions): Promise<void> {
  const base = process.env.HERMES_BENCH_BASE;
  if (!base) throw new Error("Set HERMES_BENCH_BASE to the folder of another checkout");
  const [ours, theirs] = await Promise.all([sideIn(process.cwd()), sideIn(path.resolve(base))]);
  const rounds = quick ? 3 : ROUNDS;
  for (const [sessions, probes, messages] of SIZES) {
    const asked = { sessions, probes, messages };
    const all: [Measured[], Measured[]] = [[], []];
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const sides = [await ours.measure(asked), await theirs.measure(asked)] as const;
      if (round > 0) for (const [i, side] of sides.entries()) all[i]!.push(side);
    }
    // All of it takes minutes.
    console.log(markdown(rowsOf(sessions, all[0], all[1])));
    ours.next();
    theirs.next();
  }
  ours.stop();
  theirs.stop();
}

/** Sessions, and in each round: probes one after another, messages at once. */
const SIZES = [
  [1, 100, 100],
  [100, 100, 500],
  [1000, 100, 1000],
] as const;

async function sideIn(folder: string) {
  const child = startChild(new URL("./turns/side-process.ts", import.meta.url), [folder]);
  await nextMessage(child);
  return {
    measure: async (asked: Asked): Promise<Measured> => {
      child.send(asked);
      return nextMessage<Measured>(child);
    },
    next: () => child.send("next"),
    stop: () => child.send("stop"),
  };
}

function rowsOf(sessions: number, ours: readonly Measured[], base: readonly Measured[]): Row[] {
  const who = `${sessions} session${sessions === 1 ? "" : "s"}`;
  const [a, b] = [ours, base].map((rounds) => rounds.flatMap(({ times }) => times)) as [number[], number[]];
  const [x, y] = [ours, base].map((all) => median(all.map(({ perSecond }) => perSecond))) as [number, number];
  const latency = (p: number) => ({
    ratio: percentile(a, p) / percentile(b, p),
    what: `accept to send, ${who}, p${p} of ${a.length}`,
    ours: `${percentile(a, p).toFixed(2)} ms`,
    plain: `${percentile(b, p).toFixed(2)} ms`,
  });
  const speed = { ratio: x / y, what: `turns a second, ${who}`, ours: x.toFixed(0), plain: y.toFixed(0) };
  return [speed, latency(50), latency(99)];
}
