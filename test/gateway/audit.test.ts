import { expect, it } from "vitest";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { hermes, hermesJson, runHermes } from "../cli/support/run.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";

const [ann, ben] = [inDm("ann", "Ann"), inGroup("ben", "g", "Ben")];

function tool(name: string, run: ToolDefinition["run"]): ToolDefinition {
  const about = { toolset: "own", description: name, parameters: {} };
  return { name, ...about, effect: "read", repeat: "safe", run };
}

async function withCalls(): Promise<TestGateway> {
  const gateway = await TestGateway.start({
    tools: [tool("look", async () => "seen"), tool("fall", () => Promise.reject(new Error("ouch")))],
    config: { approvals: { deny: ["look_away"] } },
  });
  await gateway.ask(ann, '!tool look {"at":1}');
  await gateway.ask(ben, "!tool fall");
  await gateway.ask(ann, '!tool look {"at":2}');
  return gateway;
}

it("lists calls newest first, page by page, with filters", async () => {
  const { store } = await withCalls();
  const { toolCalls } = store.reports;
  const all = await toolCalls({});
  expect(all).toMatchObject({
    calls: [
      {
        tool: "look",
        arguments: '{"at":2}',
        state: "done",
        result: "seen",
        userName: "Ann",
        decidedBy: null,
      },
      { tool: "fall", state: "failed", result: "Error: ouch", platform: "test", userId: "ben", chatId: "g" },
      { tool: "look", arguments: '{"at":1}' },
    ],
    next: null,
  });
  const first = await toolCalls({ tool: "look", limit: 1 });
  expect(first.calls.map((call) => call.arguments)).toEqual(['{"at":2}']);
  const second = await toolCalls({ tool: "look", limit: 1, before: first.next! });
  expect(second.calls.map((call) => call.arguments)).toEqual(['{"at":1}']);
  expect((await toolCalls({ platform: "test", userId: "ben" })).calls).toHaveLength(1);
  expect((await toolCalls({ state: "failed" })).calls).toHaveLength(1);
  expect((await toolCalls({ state: "denied" })).calls).toEqual([]);
  await expect(toolCalls({ before: "nonsense" })).rejects.toThrow("Invalid position");
});

it("a list without calls is empty", async () => {
  const { store } = await TestGateway.start();
  expect(await store.reports.toolCalls({})).toEqual({ calls: [], next: null });
});

it("hermes audit lists tool calls, and hermes trace shows the calls of a turn", async () => {
  const gateway = await withCalls();
  const id = await gateway.say(ann, '!tool look {"at":3}');
  await gateway.idle();
  await gateway.stop();
  const { home } = gateway;
  expect(await hermes(home, "audit", "--tool", "fall")).toMatch(/fall +test:ben +g +failed +— +\{\}/);
  expect(await hermesJson(home, "audit", "--person", "test:ann", "--limit", "2")).toMatchObject([
    { arguments: '{"at":3}' },
    { arguments: '{"at":2}' },
  ]);
  expect(await hermes(home, "audit", "--state", "denied")).toBe("No tool calls found.\n");
  expect((await runHermes(home, ["audit", "--person", "ann"])).stderr).toContain("'ann' isn't a person.");
  const trace = await hermes(home, "trace", id);
  expect(trace).toContain("the model called look");
  expect(trace).toMatch(/look done +\d+\.\d\d s/);
});
