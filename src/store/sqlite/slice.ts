import type { Progress } from "../store.js";

/** How long one part of a long job may hold the write lock, before its commit. */
const SLICE_MS = 25;

/** Yields to other writes when a part of long work has used up its time: `yield* slice.pause(progress)`. */
export class Slice {
  #until = performance.now() + SLICE_MS;

  *pause(progress: Progress): Generator<Progress, void> {
    if (performance.now() < this.#until) return;
    yield progress;
    this.#until = performance.now() + SLICE_MS;
  }
}
