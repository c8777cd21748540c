import { describe, expect, it } from "vitest";
import { retentionCutoff, shouldAutoPrune } from "../../src/policies/retention.js";

const now = 1_800_000_000;
const decide = (changes: Partial<Parameters<typeof shouldAutoPrune>[0]>) =>
  shouldAutoPrune({ enabled: true, lastRun: undefined, now, minIntervalHours: 24, ...changes });

describe("cleaning up by itself", () => {
  it("does not happen unless switched on", () => {
    expect(decide({ enabled: false })).toEqual({ prune: false, reason: "disabled" });
  });

  it("happens the first time, then once per interval", () => {
    expect(decide({})).toEqual({ prune: true, because: "first_run" });
    expect(decide({ lastRun: now - 86_399 })).toEqual({ prune: false, reason: "too_soon", dueAt: now + 1 });
    expect(decide({ lastRun: now - 86_400 })).toEqual({ prune: true, because: "interval_passed" });
  });

  it("is not put off for years by a run that a wrong clock stamped", () => {
    expect(decide({ lastRun: now + 1e9 })).toEqual({ prune: true, because: "clock_moved_back" });
  });
});

it("sessions from before the retention may go; a retention of nothing removes nothing", () => {
  expect(retentionCutoff(now, 90)).toBe(now - 90 * 86_400);
  expect(retentionCutoff(now, 0)).toBeUndefined();
  expect(retentionCutoff(now, Number.NaN)).toBeUndefined();
});
