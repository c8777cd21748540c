import { monitorEventLoopDelay } from "node:perf_hooks";
import { COMMON_WORD } from "../corpus.js";
import { ms } from "../measure.js";
import { appendTogether, freshLines } from "./appends.js";
import type { Pair, Scene } from "./scene.js";

const LIMIT_MS = 20;
const ROUND = 2000;

/** Event-loop delay under maximum load: appends, searches and `optimize` at the same time. */
export async function benchLoop(scene: Scene, { store, nextGroup }: Pair): Promise<void> {
  scene.say("event loop: flood of appends, searches and optimize at once");
  const lines = await freshLines({ store, nextGroup: nextGroup + 10_000 }, ROUND);
  const idle = await idleWorst();
  const delay = watchLoop();
  let appended = 0;
  let searches = 0;
  const end = performance.now() + scene.sizes.floodMs;
  let optimizing = true;
  const busy = () => optimizing || performance.now() < end;
  const flood = async () => {
    for (; busy(); appended += lines.length) await appendTogether(store, lines);
  };
  const search = async () => {
    for (; busy(); searches += 1) await store.searchMessages(COMMON_WORD);
  };
  const optimize = async () => {
    await store.maintenance.optimize();
    optimizing = false;
  };
  await Promise.all([flood(), search(), optimize()]);
  const { worst, byHistogram } = delay.stop();
  scene.rows.push({
    what: `worst event-loop delay during ${appended.toLocaleString("en")} appends, ${searches} searches and optimize`,
    ours: `${ms(worst)} (histogram ${ms(byHistogram)})`,
    plain: `idle: ${ms(idle)}`,
    target: `< ${LIMIT_MS} ms`,
    met: Math.max(worst, byHistogram) < LIMIT_MS,
  });
}

const IDLE_MS = 2000;

/** The same while idle, as a baseline for the machine's other load. */
async function idleWorst(): Promise<number> {
  const delay = watchLoop();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return delay.stop().worst;
}

/** Two measurements: Node's histogram, and the longest loop iteration. */
function watchLoop(): { stop(): { worst: number; byHistogram: number } } {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  let worst = 0;
  let last = performance.now();
  let running = true;
  const turn = () => {
    const now = performance.now();
    worst = Math.max(worst, now - last);
    last = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      running = false;
      histogram.disable();
      return { worst, byHistogram: histogram.max / 1e6 };
    },
  };
}
