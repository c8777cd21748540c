import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settlesWithin, unlessAborted, withSignal, withTimeout } from "../src/timeout.js";
import { leftAt } from "./support/left-at-signal.js";

const never = new Promise<never>(() => {});
const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);

beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  await sleep(5);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

const failsLate = () => sleep(20).then(() => Promise.reject(new Error("late")));

describe("withTimeout", () => {
  it("settles like the work if that is in time", async () => {
    expect(await withTimeout(Promise.resolve(7), 1000)).toBe(7);
    await expect(withTimeout(Promise.reject(new Error("no")), 1000)).rejects.toThrow("no");
  });

  it("rejects with a TimeoutError and ignores a later failure", async () => {
    const failed = withTimeout(failsLate(), 5, { message: "too slow" });
    await expect(failed).rejects.toMatchObject({ name: "TimeoutError", message: "too slow" });
    await sleep(30);
  });

  it("rejects with the signal's reason", async () => {
    const stop = new AbortController();
    const failed = withTimeout(failsLate(), 1000, { signal: stop.signal });
    stop.abort(new Error("stopped"));
    await expect(failed).rejects.toThrow("stopped");
    await sleep(30);
  });
});

describe("unlessAborted", () => {
  it("rejects immediately after an abort, and ignores a later failure", async () => {
    await expect(unlessAborted(failsLate(), AbortSignal.abort(new Error("stopped")))).rejects.toThrow(
      "stopped",
    );
    await sleep(30);
  });

  it("returns the work's result", async () => {
    expect(await unlessAborted(Promise.resolve(1), new AbortController().signal)).toBe(1);
  });
});

describe("settlesWithin", () => {
  it("is true for work that succeeds or fails in time", async () => {
    expect(await settlesWithin(Promise.resolve(), 1000)).toBe(true);
    expect(await settlesWithin(Promise.reject(new Error("no")), 1000)).toBe(true);
  });

  it("is false for work that takes longer, and ignores its later failure", async () => {
    expect(await settlesWithin(never, 5)).toBe(false);
    expect(await settlesWithin(failsLate(), 5)).toBe(false);
    await sleep(30);
  });
});

describe("withSignal", () => {
  const rejection = (signal: AbortSignal) => unlessAborted(never, signal);

  it("aborts with the first of the signals, and with its reason", async () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const work = withSignal({ signals: [one.signal, other.signal] }, rejection);
    other.abort(new Error("stopped"));
    await expect(work).rejects.toThrow("stopped");
    await expect(withSignal({ signals: [one.signal, other.signal] }, rejection)).rejects.toThrow("stopped");
  });

  it("aborts in time", async () => {
    const late = withSignal({ signals: [], ms: 5 }, rejection);
    await expect(late).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("leaves nothing at signals that outlive it", async () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 20; i += 1) {
      expect(await withSignal({ signals: [signal], ms: 60_000 }, async () => i)).toBe(i);
      const failed = withSignal({ signals: [signal] }, () => Promise.reject(new Error("no")));
      await expect(failed).rejects.toThrow("no");
    }
    expect(leftAt(signal)).toBe(0);
  });
});
