import { describe, expect, it } from "vitest";
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

describe("a turn without a word for too long", () => {
  const config = { agent: { gateway_timeout: 0.2, restart_drain_timeout: 0.2 } };
  const ann = inDm("ann");
  const [gaveUp, more] = [
    "That took too long: there was no progress for 0.2 s, so I gave up.",
    "The operator can allow more time (`agent.gateway_timeout`).",
  ];

  /** Silent until it is asked again. */
  function slowOnce(): AgentBackend {
    let asked = 0;
    return {
      ...echoAgent(),
      run: (request, signal) => {
        asked += 1;
        const input = asked === 1 ? [{ role: "user", content: "!slow 60000 never said" }] : request.input;
        return echoAgent().run({ ...request, input }, signal);
      },
    };
  }

  it("says so, after how long, and what to do; /retry asks it again", async () => {
    const gateway = await TestGateway.start({ config, agent: slowOnce() });
    expect(await gateway.ask(ann, "hello")).toEqual([`${gaveUp} Send it again or /retry. ${more}`]);
    expect(gateway.read("SELECT state, error FROM gw_inbox")).toEqual([
      { state: "dead", error: "there was no progress for 0.2 s" },
    ]);
    expect(await gateway.ask(ann, "/retry")).toEqual(["hello"]);
  });

  it("says nothing of /retry where that would ask something else again", async () => {
    const gateway = await TestGateway.start({ config, agent: slowOnce() });
    const [, failed] = await gateway.ask(ann, "/background hello");
    expect(failed).toBe(`${gaveUp} Send it again. ${more}`);
  });

  it("tells an errand's target what has happened, and a program that it was no stop", async () => {
    const gateway = await TestGateway.start({ config });
    await gateway.say(ann, "!slow 60000 never said", { errand: { name: "News" }, authenticated: true });
    await gateway.idle();
    await gateway.say(ann, "!slow 60000 never said", { request: { fingerprint: "1", stream: false } });
    await gateway.idle();
    expect(gateway.adapter.to(ann)).toMatchObject([
      { text: `⚠️ News failed: there was no progress for 0.2 s. ${more}` },
      { details: { failure: { kind: "timeout" } } },
    ]);
  });

  it("has all the time that was allowed, however much that is", async () => {
    const gateway = await TestGateway.start({ config: { agent: { gateway_timeout: 1e9 } } });
    expect(await gateway.ask(ann, "!slow 50 hello")).toEqual(["hello"]);
  });
});
