import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { progressLine, type Terminal, withProgress } from "../../src/cli/progress.js";
import type { OnProgress } from "../../src/store/store.js";

function fakeTerminal(isTTY: boolean): Terminal & { written: string[] } {
  const written: string[] = [];
  return { isTTY, columns: 80, written, write: (text) => written.push(text) };
}

/** Reports every millisecond for as long as asked. */
function work(durationMs: number): (onProgress: OnProgress) => Promise<string> {
  return async (onProgress) => {
    for (let ms = 0; ms < durationMs; ms++) {
      onProgress({ step: "Working", done: ms, total: durationMs });
      await vi.advanceTimersByTimeAsync(1);
    }
    return "done";
  };
}

describe("the progress bar", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("isn't shown for what takes less than a second", async () => {
    const terminal = fakeTerminal(true);
    expect(await withProgress(work(990), terminal)).toBe("done");
    expect(terminal.written).toEqual([]);
  });

  it("is drawn ten times a second at most, and clears itself", async () => {
    const terminal = fakeTerminal(true);
    await withProgress(work(3000), terminal);
    expect(terminal.written.length).toBeGreaterThan(15);
    expect(terminal.written.length).toBeLessThanOrEqual(22);
    expect(terminal.written.at(-1)).toBe("\r\u001b[K");
  });

  it("shows a step that reports only once", async () => {
    const terminal = fakeTerminal(true);
    await withProgress(async (onProgress) => {
      onProgress({ step: "Keeping a copy", done: 0, total: 1 });
      await vi.advanceTimersByTimeAsync(5000);
    }, terminal);
    expect(terminal.written).toHaveLength(2);
    expect(terminal.written[0]).toContain("Keeping a copy");
  });

  it("says nothing where there is no terminal", async () => {
    const terminal = fakeTerminal(false);
    await withProgress(work(2000), terminal);
    expect(terminal.written).toEqual([]);
  });

  it("clears itself after a failure too", async () => {
    const terminal = fakeTerminal(true);
    const failing = withProgress(async (onProgress) => {
      await work(1500)(onProgress);
      throw new Error("no");
    }, terminal);
    await expect(failing).rejects.toThrow("no");
    expect(terminal.written.at(-1)).toBe("\r\u001b[K");
  });

  it("shows step, bar, share and counts", () => {
    expect(progressLine({ step: "Exporting", done: 500, total: 2000 })).toBe(
      `Exporting  ${"█".repeat(6)}${" ".repeat(18)}  25%  500/2,000`,
    );
    expect(progressLine({ step: "Checking", done: 12, total: 0 })).toBe("Checking  12");
    expect(progressLine({ step: "Checking", done: 0, total: 0 })).toBe("Checking …");
  });
});
