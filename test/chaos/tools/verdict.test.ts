import { describe, expect, it } from "vitest";
import { areToolsKept, judgeTools, type ToolEvidence } from "./verdict.js";

const post = { token: "m0x0", tool: "post", call: 0 };
const note = { token: "m0x0", tool: "note", call: 1 };
const asked = (round: number, unknown = 0, token = "m0x0") => ({ token, round, tokens: [token], unknown });

/** Two calls in one round, each done once. */
function evidence(more: Partial<ToolEvidence> = {}): ToolEvidence {
  return {
    planned: [post, note],
    made: [
      { ...post, key: "t.0", state: "done" },
      { ...note, key: "t.1", state: "done" },
    ],
    effects: [
      { ...post, key: "t.0" },
      { ...note, key: "t.1" },
    ],
    asked: [asked(0), asked(1)],
    ...more,
  };
}

describe("the verdict about tools", () => {
  it("finds nothing where every call had one effect", () => {
    expect(areToolsKept(judgeTools(evidence()))).toBe(true);
  });

  it("forgives repeats of repeatable calls only", () => {
    const { effects } = evidence();
    expect(judgeTools(evidence({ effects: [...effects, effects[1]!] }))).toMatchObject({
      repeats: 1,
      doubled: [],
    });
    expect(judgeTools(evidence({ effects: [...effects, effects[0]!] })).doubled).toEqual(["post 0 of m0x0"]);
    const again = { ...effects[0]!, key: "t.2" };
    expect(judgeTools(evidence({ effects: [...effects, again] })).doubled).toHaveLength(1);
  });

  it("wants an end for each call, and the model's knowledge of unknown ones", () => {
    const [, second] = evidence().made;
    const unknown = [{ ...post, key: "t.0", state: "unknown" }, second!];
    expect(judgeTools(evidence({ made: unknown })).unrecorded).toHaveLength(1);
    const told = evidence({ made: unknown, asked: [asked(0), asked(1, 1)] });
    expect(judgeTools(told)).toMatchObject({ unrecorded: [], unknown: 1 });
    const running = [{ ...post, key: "t.0", state: "running" }, second!];
    expect(judgeTools(evidence({ made: running })).unrecorded).toHaveLength(1);
    expect(judgeTools(evidence({ made: [second!] })).unrecorded).toHaveLength(2);
  });

  it("accepts that a slow MCP server's tool wasn't offered, if the call had no effect", () => {
    const far = { ...post, tool: "mcp__far__post" };
    const result = 'Error: there is no tool "mcp__far__post". Tools: todo';
    const made = [{ ...far, key: "t.0", state: "failed", result }];
    const refused = { planned: [far], made, effects: [] };
    expect(judgeTools(evidence(refused))).toMatchObject({ notOffered: 1, unrecorded: [] });
    const broken = [{ ...made[0]!, result: "Error: connection closed" }];
    expect(judgeTools(evidence({ ...refused, made: broken })).unrecorded).toHaveLength(1);
    const effects = [{ ...far, key: "t.0" }];
    expect(judgeTools(evidence({ ...refused, effects })).unrecorded).toHaveLength(1);
  });

  it("sees calls that were made again and steps in the wrong order", () => {
    const [first, second] = evidence().made;
    const anew = [first!, second!, { ...first!, key: "t.2" }];
    expect(judgeTools(evidence({ made: anew })).restarted).toEqual(["post 0 of m0x0 was made again"]);
    const cutOff = judgeTools(evidence({ asked: [asked(0), asked(0), asked(1)] }));
    expect(cutOff).toMatchObject({ paidTwice: 1, restarted: [] });
    expect(judgeTools(evidence({ asked: [asked(0), asked(1), asked(0)] })).restarted).toHaveLength(1);
  });
});
