import { describe, expect, it } from "vitest";
import { Backoff, backoffMs, pause } from "../src/backoff.js";
import { leftAt } from "./support/left-at-signal.js";

const LIMITS = { firstMs: 100, maxMs: 1000 };

describe("backoffMs", () => {
  it("doubles up to the limit", () => {
    const longest = [0, 1, 2, 3, 4, 5].map((failures) => backoffMs(failures, LIMITS, () => 1));
    expect(longest).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it("makes half of the delay random", () => {
    expect(backoffMs(2, LIMITS, () => 0)).toBe(200);
    expect(backoffMs(2, LIMITS, () => 0.5)).toBe(300);
  });

  it("stays within the limit for absurd counts", () => {
    for (const failures of [-5, 1e9, Number.POSITIVE_INFINITY])
      expect(backoffMs(failures, LIMITS, () => 1)).toBeLessThanOrEqual(1000);
  });
});

describe("Backoff", () => {
  it("starts again after a reset", () => {
    const backoff = new Backoff(LIMITS);
    for (let i = 0; i < 10; i++) backoff.nextMs();
    expect(backoff.nextMs()).toBeGreaterThanOrEqual(500);
    backoff.reset();
    expect(backoff.nextMs()).toBeLessThanOrEqual(100);
  });
});

describe("pause", () => {
  it("ends early when the signal aborts", async () => {
    const stop = new AbortController();
    const paused = pause(60_000, stop.signal);
    stop.abort();
    await paused;
  });

  it("ends with the first of several signals, and leaves nothing at them", async () => {
    const long = new AbortController();
    for (let i = 0; i < 20; i += 1) {
      const wake = new AbortController();
      const paused = pause(60_000, long.signal, wake.signal);
      wake.abort();
      await paused;
    }
    expect(leftAt(long.signal)).toBe(0);
    await pause(60_000, long.signal, AbortSignal.abort());
  });

  it("doesn't wait at all after an abort", async () => {
    await pause(60_000, AbortSignal.abort());
  });

  it("waits for delays that are too long for a timer", async () => {
    const stop = new AbortController();
    let isOver = false;
    const paused = pause(2 ** 31 + 5, stop.signal).then(() => {
      isOver = true;
    });
    await pause(20, new AbortController().signal);
    expect(isOver).toBe(false);
    stop.abort();
    await paused;
  });
});
