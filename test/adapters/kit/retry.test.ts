import { describe, expect, it } from "vitest";
import { repeat, retry } from "../../../src/adapters/kit/retry.js";

const backoff = { firstMs: 1, maxMs: 2 };
const signal = new AbortController().signal;

describe("retry", () => {
  it("returns the first success and reports each failure", async () => {
    const failures: number[] = [];
    let attempts = 0;
    const attempt = async () => {
      if (++attempts < 4) throw new Error("not yet");
      return attempts;
    };
    const onFailure = (_: unknown, count: number) => void failures.push(count);
    expect(await retry(attempt, { backoff, signal, onFailure })).toBe(4);
    expect(failures).toEqual([1, 2, 3]);
  });

  it("waits as long as the platform asked", async () => {
    const startMs = performance.now();
    let attempts = 0;
    const attempt = async () => {
      if (++attempts < 2) throw new Error("not yet");
    };
    await retry(attempt, { backoff, signal, onFailure: () => 60 });
    expect(performance.now() - startMs).toBeGreaterThan(50);
  });

  it("ends with what onFailure throws", async () => {
    const attempt = () => Promise.reject(new Error("bad token"));
    const onFailure = (error: unknown) => {
      throw error;
    };
    await expect(retry(attempt, { backoff, signal, onFailure })).rejects.toThrow("bad token");
  });

  it("rejects with the signal's reason, during an attempt or a pause", async () => {
    const stop = new AbortController();
    const attempt = () => Promise.reject(new Error("not yet"));
    const long = { firstMs: 60_000, maxMs: 60_000 };
    const retried = retry(attempt, { backoff: long, signal: stop.signal });
    stop.abort(new Error("stopped"));
    await expect(retried).rejects.toThrow("stopped");
    await expect(retry(attempt, { backoff, signal: stop.signal })).rejects.toThrow("stopped");
  });
});

describe("repeat", () => {
  it("runs until the signal aborts and starts the backoff again after a success", async () => {
    const stop = new AbortController();
    const failures: number[] = [];
    let steps = 0;
    await repeat(
      async () => {
        if (++steps === 6) stop.abort();
        if (steps % 3 !== 0) throw new Error("no");
      },
      { backoff, signal: stop.signal, onFailure: (_, count) => void failures.push(count) },
    );
    expect(failures).toEqual([1, 2, 1, 2]);
  });

  it("rejects only with what onFailure throws", async () => {
    const fail = () => Promise.reject(new Error("no"));
    const onFailure = () => {
      throw new Error("over");
    };
    await expect(repeat(fail, { backoff, signal, onFailure })).rejects.toThrow("over");
  });
});
