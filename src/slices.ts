import { setImmediate as nextTurn } from "node:timers/promises";

/** A pause of this length isn't noticeable. */
const SLICE_MS = 8;

/** Processes items in order and yields to the event loop between slices. Each item must be quick. */
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
