import { describe, expect, it } from "vitest";
import { type ReadinessQuestion, readinessProblems } from "../../src/policies/readiness.js";

const fine: ReadinessQuestion = {
  starting: false,
  stopping: false,
  isReplaced: false,
  store: { stalledSeconds: 0, writeFault: undefined },
  waitedSeconds: { inbox: 0, outbox: 0 },
  misdatedSeconds: 0,
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
    ["with a young message", { waitedSeconds: { inbox: 50, outbox: 50 } }, []],
    ["with writes that wait for a moment", { store: { ...fine.store!, stalledSeconds: 2 } }, []],
    ["while it starts", { starting: true }, ["gateway"]],
    ["while it stops", { stopping: true }, ["gateway"]],
    ["without an answer from the store", { store: undefined }, ["store"]],
    ["with writes that wait", { store: { ...fine.store!, stalledSeconds: 30 } }, ["store"]],
    ["while writes fail", { store: { ...fine.store!, writeFault: "The disk is full" } }, ["store"]],
    ["with another file in the place of its own", { isReplaced: true, store: undefined }, ["store"]],
    ["with an old message", { waitedSeconds: { inbox: 100, outbox: 0 } }, ["inbox"]],
    ["with an answer that isn't sent", { waitedSeconds: { inbox: 0, outbox: 100 } }, ["outbox"]],
    ["just after the clock was set back", { misdatedSeconds: 10 }, []],
    ["with waits that the clock has made wrong", { misdatedSeconds: 40 }, ["outbox"]],
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
