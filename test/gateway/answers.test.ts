import { expect, it } from "vitest";
import type { AgentBackend, AgentEvent } from "../../src/agents/backend.js";
import { echoAgent } from "../../src/agents/echo.js";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";

/** Says something, calls a tool, and then says this. */
function saying(last: string): AgentBackend {
  const call = { id: "1", type: "function", function: { name: "memory", arguments: "{}" } };
  async function* run(): AsyncIterable<AgentEvent> {
    yield { type: "message", message: { role: "assistant", content: "I note that.", tool_calls: [call] } };
    yield { type: "message", message: { role: "tool", content: "Saved.", tool_call_id: "1" } };
    yield { type: "message", message: { role: "assistant", content: last } };
    yield { type: "done" };
  }
  return { ...echoAgent(), run };
}

it.each([
  ["what it says after its last tool call", "Noted!", ["Noted!"]],
  ["what it said before, where that was all", "", ["I note that."]],
])("the answer of an agent is %s", async (_, last, answer) => {
  const gateway = await TestGateway.start({ agent: saying(last) });
  expect(await gateway.ask(inDm("ann"), "remember that")).toEqual(answer);
});
