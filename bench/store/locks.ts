import { openStore } from "../engine.js";
import { ms } from "../measure.js";
import { nextMessage, startChild } from "./child.js";
import type { Pair, Scene } from "./scene.js";

const LIMIT_MS = 200;

/** How long maintenance blocks the writes of another process. */
export async function benchLocks(scene: Scene, pair: Pair): Promise<void> {
  const days = oldestDays(scene) * 0.7;
  await watch(scene, pair.storePath, "prune", async () => {
    const pruned = await pair.store.pruneSessions({ olderThanDays: days });
    return `${pruned.sessions} sessions`;
  });
  await watch(scene, pair.storePath, "optimize", async () => {
    const { bytesBefore, bytesAfter } = await pair.store.maintenance.optimize();
    return `${(bytesBefore / 1e6).toFixed(0)} → ${(bytesAfter / 1e6).toFixed(0)} MB`;
  });
  // From here on the plain file is used as ours: optimize converts another Hermes' file to the compact layout.
  pair.plain.close();
  const converted = await openStore({ path: pair.plainPath, foreign: "adopt" });
  await watch(scene, pair.plainPath, "optimize of an inline file", async () => {
    const result = await converted.maintenance.optimize();
    return result.converted ? "converted" : "not converted";
  });
  await converted.close();
}

/** The corpus spreads its groups over this many days. */
const oldestDays = (scene: Scene) => ((scene.sizes.sessions / 4) * 50_000) / 86_400;

async function watch(scene: Scene, file: string, what: string, work: () => Promise<string>): Promise<void> {
  scene.say(`write lock during ${what}`);
  const child = startChild(new URL("./lock-process.ts", import.meta.url), [file]);
  await nextMessage(child);
  const started = performance.now();
  const outcome = await work();
  const seconds = (performance.now() - started) / 1000;
  const report = nextMessage<number>(child);
  child.send("stop");
  const longest = await report;
  scene.rows.push({
    what: `longest write-lock hold, ${what} (${outcome}, ${seconds.toFixed(1)} s)`,
    ours: ms(longest),
    target: `< ${LIMIT_MS} ms`,
    met: longest < LIMIT_MS,
  });
}
