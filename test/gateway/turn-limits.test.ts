import { expect, it } from "vitest";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { TestGateway } from "../support/gateway.js";
import { ScriptedAgent } from "../support/scripted-agent.js";
import { inDm } from "../support/test-adapter.js";

const ann = inDm("ann");

function counting(run: ToolDefinition["run"] = async () => "counted") {
  let count = 0;
  const tool: ToolDefinition = {
    ...{
      name: "count",
      toolset: "own",
      description: "counts",
      parameters: {},
      effect: "read",
      repeat: "never",
    },
    run: (args, call) => {
      count += 1;
      return run(args, call);
    },
  };
  return { tool, count: () => count };
}

async function rolesIn(gateway: TestGateway): Promise<string[]> {
  const { id } = await gateway.session(ann);
  return (await gateway.store.getConversation(id)).map(({ role, content }) => `${role}: ${content ?? ""}`);
}

it("a turn that costs too much makes no more calls, and what it did stays", async () => {
  const { tool, count } = counting();
  const agent = new ScriptedAgent([
    ...[{ usage: 0.3 }, { call: "count" }, { usage: 0.3 }, { call: "count" }],
    { say: ["never said"] },
  ]);
  const config = { agent: { max_turn_cost_usd: 0.5, restart_drain_timeout: 0.2 } };
  const gateway = await TestGateway.start({ agent, tools: [tool], config });
  const [notice] = await gateway.ask(ann, "go");
  expect(notice).toContain("up to $0.50 (`agent.max_turn_cost_usd`)");
  expect(count()).toBe(1);
  expect(await rolesIn(gateway)).toEqual([
    "user: go",
    "assistant: ",
    "tool: counted",
    "assistant: ",
    expect.stringMatching(/^tool: \[Not run/),
  ]);
});

it("an answer that reaches the limit is still sent", async () => {
  const agent = new ScriptedAgent([{ usage: 9 }, { say: ["worth it"] }]);
  const config = { agent: { max_turn_cost_usd: 0.5, restart_drain_timeout: 0.2 } };
  const gateway = await TestGateway.start({ agent, config });
  expect(await gateway.ask(ann, "go")).toEqual(["worth it"]);
});

it("a turn that takes too long ends with a notice, and what it did stays", async () => {
  let calls = 0;
  const { tool } = counting((_, { signal }) => {
    calls += 1;
    if (calls === 1) return Promise.resolve("first");
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("cut off"))));
  });
  const agent = new ScriptedAgent([{ call: "count" }, { call: "count" }, { say: ["never said"] }]);
  const config = { agent: { max_turn_seconds: 0.3, restart_drain_timeout: 0.2 } };
  const gateway = await TestGateway.start({ agent, tools: [tool], config });
  const [notice] = await gateway.ask(ann, "go");
  expect(notice).toContain("up to 0.3 s (`agent.max_turn_seconds`)");
  expect(await rolesIn(gateway)).toEqual([
    ...["user: go", "assistant: ", "tool: first", "assistant: "],
    expect.stringMatching(/^tool: \[The turn ended during this call/),
  ]);
});
