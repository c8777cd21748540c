import { describe, expect, it } from "vitest";
import { inSlices } from "../src/slices.js";

describe("work in slices", () => {
  it("returns the results in order and yields in between", async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const results = await inSlices(Array.from({ length: 10 }).keys(), (i) => {
      const startedMs = performance.now();
      while (performance.now() - startedMs < 10);
      return i * 2;
    });
    isDone = true;
    expect(results).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    expect(turns).toBeGreaterThanOrEqual(9);
  });
});
