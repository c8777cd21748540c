import { describe, expect, it } from "vitest";
import { type ReadinessQuestion, readinessProblems } from "../../src/policies/readiness.js";

const fine: ReadinessQuestion = {
  now: 1000,
  stopping: false,
  store: { stalledSeconds: 0, lastCommitAt: 999, lastFailureAt: null },
  oldestReadyAt: null,
  platforms: [
    { platform: "a", state: "ok" },
    { platform: "b", state: "down" },
  ],
  settings: { maxWaitSeconds: 60, platforms: [] },
};

const checks = (more: Partial<ReadinessQuestion>) =>
  readinessProblems({ ...fine, ...more }).map(({ check }) => check);

describe("readiness", () => {
  it.each<[string, Partial<ReadinessQuestion>, string[]]>([
    ["with one platform of several down", {}, []],
    ["with a young message", { oldestReadyAt: 950 }, []],
    ["before the first write", { store: { stalledSeconds: 0, lastCommitAt: null, lastFailureAt: null } }, []],
    [
      "after a failed write that was followed by a good one",
      { store: { ...fine.store!, lastFailureAt: 998 } },
      [],
    ],
    ["with writes that wait for a moment", { store: { ...fine.store!, stalledSeconds: 2 } }, []],
    ["while it stops", { stopping: true }, ["gateway"]],
    ["without an answer from the store", { store: undefined }, ["store"]],
    ["with writes that wait", { store: { ...fine.store!, stalledSeconds: 30 } }, ["store"]],
    ["after a failed write", { store: { ...fine.store!, lastFailureAt: 999.5 } }, ["store"]],
    ["with an old message", { oldestReadyAt: 900 }, ["inbox"]],
    ["with every platform down", { platforms: [{ platform: "a", state: "down" }] }, ["platforms"]],
    ["without any platform", { platforms: [] }, []],
    [
      "with a platform down that it must have",
      { settings: { maxWaitSeconds: 60, platforms: ["b"] } },
      ["platforms"],
    ],
    [
      "without a platform that it must have",
      { settings: { maxWaitSeconds: 60, platforms: ["c"] } },
      ["platforms"],
    ],
    ["with several troubles at once", { stopping: true, store: undefined }, ["gateway", "store"]],
  ])("%s", (_, more, expected) => {
    expect(checks(more)).toEqual(expected);
  });
});
