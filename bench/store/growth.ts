import path from "node:path";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { makeGroup } from "../corpus.js";
import { openStore } from "../engine.js";
import { perSecond, sum, timed } from "../measure.js";
import { Plain } from "../plain.js";
import { appendAlone, appendTogether, CALLERS, freshLines } from "./appends.js";
import { fillStore } from "./fill.js";
import type { Pair, Scene } from "./scene.js";

/** Append speed in an empty and in a very large file. */
export async function benchGrowth(scene: Scene, pair: Pair): Promise<void> {
  const empty = {
    store: await openStore({ path: path.join(scene.folder, "empty.db"), foreign: "adopt" }),
    plain: Plain.create(path.join(scene.folder, "empty-plain.db")),
    nextGroup: 500_000,
  };
  await measureAt(scene, empty, 0);
  await empty.store.close();
  empty.plain.close();
  await growTo(scene, pair);
  await measureAt(scene, { store: pair.store, nextGroup: 600_000 }, scene.sizes.grown);
}

async function growTo(scene: Scene, { store }: Pair): Promise<void> {
  let group = 700_000;
  for (let count = (await store.reports.stats()).messages; count < scene.sizes.grown; group += 1) {
    const next = makeGroup(group, group);
    await fillStore(store, next);
    count += next.lines.length;
    if (group % 100 === 0) scene.say(`growing: ${count} of ${scene.sizes.grown} messages`);
  }
}

async function measureAt(
  scene: Scene,
  files: { store: OpenedStore; plain?: Plain; nextGroup: number },
  count: number,
): Promise<void> {
  const { appendsPerRound } = scene.sizes;
  const times = { plain: [] as number[], alone: [] as number[], together: [] as number[] };
  const { plain, store } = files;
  for (let round = 0; round < 5; round += 1) {
    const lines = await freshLines(files, appendsPerRound);
    if (plain) times.plain.push(await timed(() => plain.append(lines)));
    times.alone.push(await timed(() => appendAlone(store, lines)));
    times.together.push(await timed(() => appendTogether(store, lines)));
  }
  const speed = (side: readonly number[]) => perSecond(side.length * appendsPerRound, sum(side));
  scene.rows.push({
    ...(plain ? { ratio: sum(times.plain) / sum(times.alone) } : {}),
    what: `growth: appends at ${count.toLocaleString("en")} messages, one caller / ${CALLERS} callers`,
    ours: `${speed(times.alone)} / ${speed(times.together)}`,
    ...(plain ? { plain: speed(times.plain) } : {}),
  });
  scene.say(`growth: measured at ${count} messages`);
}
