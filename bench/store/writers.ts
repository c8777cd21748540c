import { ms, perSecond } from "../measure.js";
import { hear, startChild } from "./child.js";
import type { Pair, Scene } from "./scene.js";
import type { WriterReport } from "./writer-process.js";

const WRITERS = 4;
const LIMIT_MS = 500;

/** Four processes append to one file as fast as they can. Nothing may be lost, nobody may wait long. */
export async function benchWriters(scene: Scene, { store, storePath }: Pair): Promise<void> {
  scene.say(`${WRITERS} writer processes`);
  const { appendsPerWriter } = scene.sizes;
  const before = (await store.stats()).messages;
  const children = Array.from({ length: WRITERS }, (_, i) =>
    startChild(new URL("./writer-process.ts", import.meta.url), [
      storePath,
      String(i),
      String(appendsPerWriter),
    ]),
  );
  await Promise.all(children.map((child) => hear(child)));
  const reports = children.map((child) => hear<WriterReport>(child));
  const started = performance.now();
  for (const child of children) child.send("go");
  const all = await Promise.all(reports);
  const time = performance.now() - started;
  const lost = before + WRITERS * appendsPerWriter - (await store.stats()).messages;
  const errors = all.reduce((sum, report) => sum + report.errors, 0);
  const worst = Math.max(...all.map((report) => report.worstMs));
  scene.rows.push({
    what: `${WRITERS} writer processes at once, ${lost} lost, ${errors} errors, ${perSecond(WRITERS * appendsPerWriter, time)}: worst stall`,
    ours: ms(worst),
    target: `< ${LIMIT_MS} ms, none lost, no error`,
    met: worst < LIMIT_MS && lost === 0 && errors === 0,
  });
}
