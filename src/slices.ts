import { setImmediate as nextTurn } from "node:timers/promises";

/** Nobody else notices a pause of this length. */
const SLICE_MS = 8;

/** The work for each item, in order; other work gets its turn in between. For items that are quick one by one. */
export async function inSlices<T, R>(items: Iterable<T>, work: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let startedMs = performance.now();
  for (const item of items) {
    results.push(work(item));
    if (performance.now() - startedMs < SLICE_MS) continue;
    await nextTurn();
    startedMs = performance.now();
  }
  return results;
}
