import { describe, expect, it } from "vitest";
import { countCall, type LoopState, NO_CALLS } from "../../src/policies/tool-loop.js";

function verdicts(calls: readonly { name: string; args: Record<string, unknown> }[]): string[] {
  let state: LoopState = NO_CALLS;
  return calls.map((call) => {
    const counted = countCall(state, call);
    state = counted.state;
    return counted.verdict;
  });
}

const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

describe("identical calls", () => {
  it("are reported to the model, then stopped", () => {
    expect(verdicts(times(7, () => ({ name: "look", args: { a: 1, b: [2] } })))).toEqual([
      ...["run", "run", "warn", "warn", "warn", "stop", "stop"],
    ]);
  });

  it("are recognised in any order of their arguments", () => {
    const calls = [
      { name: "look", args: { a: 1, b: { c: 2, d: 3 } } },
      { name: "look", args: { b: { d: 3, c: 2 }, a: 1 } },
      { name: "look", args: { a: 1, b: { c: 2, d: 3 } } },
    ];
    expect(verdicts(calls)).toEqual(["run", "run", "warn"]);
  });

  it("stop too when they alternate", () => {
    const found = verdicts(times(60, (i) => ({ name: `tool${i % 12}`, args: {} })));
    expect(found.indexOf("stop")).toBe(31);
  });

  it("carry a note that names the tool", () => {
    let state = NO_CALLS;
    for (let i = 0; i < 2; i++) state = countCall(state, { name: "look", args: {} }).state;
    expect(countCall(state, { name: "look", args: {} }).note).toContain("look 3 times");
  });
});

describe("different calls", () => {
  it("run as often as they like, and little is remembered", () => {
    let state: LoopState = NO_CALLS;
    for (let i = 0; i < 1000; i++) {
      const counted = countCall(state, { name: "look", args: { page: i, text: "x".repeat(1000) } });
      expect(counted.verdict).toBe("run");
      state = counted.state;
    }
    expect(state.counts.size).toBeLessThanOrEqual(200);
  });
});
