import { describe, expect, it } from "vitest";
import type { CanDismiss } from "../../src/adapters/adapter.js";
import type { AgentBackend, AgentEvent } from "../../src/agents/backend.js";
import { echoAgent } from "../../src/agents/echo.js";
import type { Target } from "../../src/message.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, TestAdapter } from "../support/test-adapter.js";
import { until } from "../support/until.js";

/** Writes text, calls a tool, then writes this. */
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

describe("a turn without output for too long", () => {
  const config = { agent: { gateway_timeout: 0.2, restart_drain_timeout: 0.2 } };
  const ann = inDm("ann");
  const [gaveUp, more] = [
    "That took too long: there was no progress for 0.2 s, so I gave up.",
    "The operator can allow more time (`agent.gateway_timeout`).",
  ];

  /** No output until it is asked again. */
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

  it("reports the timeout and what to do; /retry asks it again", async () => {
    const gateway = await TestGateway.start({ config, agent: slowOnce() });
    expect(await gateway.ask(ann, "hello")).toEqual([`${gaveUp} Send it again or /retry. ${more}`]);
    expect(gateway.read("SELECT state, error FROM gw_inbox")).toEqual([
      { state: "dead", error: "there was no progress for 0.2 s" },
    ]);
    expect(await gateway.ask(ann, "/retry")).toEqual(["hello"]);
  });

  it("doesn't mention /retry if that would ask something else", async () => {
    const gateway = await TestGateway.start({ config, agent: slowOnce() });
    const [, failed] = await gateway.ask(ann, "/background hello");
    expect(failed).toBe(`${gaveUp} Send it again. ${more}`);
  });

  it("reports it to a task's target, and as a failure to a program", async () => {
    const gateway = await TestGateway.start({ config });
    await gateway.say(ann, "!slow 60000 never said", { task: { name: "News" }, authenticated: true });
    await gateway.idle();
    await gateway.say(ann, "!slow 60000 never said", { request: { fingerprint: "1", stream: false } });
    await gateway.idle();
    expect(gateway.adapter.to(ann)).toMatchObject([
      { text: `⚠️ News failed: there was no progress for 0.2 s. ${more}` },
      { details: { failure: { kind: "timeout" } } },
    ]);
  });

  it("isn't limited before the configured timeout, however long", async () => {
    const gateway = await TestGateway.start({ config: { agent: { gateway_timeout: 1e9 } } });
    expect(await gateway.ask(ann, "!slow 50 hello")).toEqual(["hello"]);
  });
});

describe("dismissing a message", () => {
  const ann = inDm("ann");

  class Desk extends TestAdapter implements CanDismiss {
    readonly dismissed: (string | null)[] = [];
    dismiss({ replyTo }: Target): void {
      this.dismissed.push(replyTo);
    }
  }

  /** Starts with this text and ends when it is stopped. */
  function beginning(text: string): AgentBackend {
    async function* run(_: unknown, signal: AbortSignal): AsyncIterable<AgentEvent> {
      yield { type: "text", delta: text };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "failed", failure: { kind: "stopped", message: "stopped", notice: "Stopped." } };
    }
    return { ...echoAgent(), run };
  }

  async function* saysNothing(): AsyncIterable<AgentEvent> {
    yield { type: "text", delta: "[SILENT]" };
    yield { type: "message", message: { role: "assistant", content: "[SILENT]" } };
    yield { type: "done" };
  }

  async function asked(agent: AgentBackend) {
    const desk = new Desk({ account: "desk" });
    const gateway = await TestGateway.start({ agent, bots: [desk] });
    const eventId = await desk.say(ann, "hello");
    await until("something is said", () => desk.previews.length > 0);
    return { gateway, desk, eventId };
  }

  it("happens if its turn is stopped before visible text", async () => {
    const { desk, eventId } = await asked(beginning("Well"));
    await desk.say(ann, "/stop");
    await until("it isn't", () => desk.dismissed.length > 0);
    expect(desk.dismissed).toEqual([eventId]);
  });

  it("happens if the agent chose not to answer", async () => {
    const { desk, eventId } = await asked({ ...echoAgent(), run: saysNothing });
    await until("it isn't", () => desk.dismissed.length > 0);
    expect(desk.dismissed).toEqual([eventId]);
  });

  it("keeps its sign if an earlier attempt at the answer is shown", async () => {
    let fail = () => {};
    const second = beginning("Well, that is a long story");
    const first: AgentBackend["run"] = () => {
      fail();
      throw new Error("a fault of ours");
    };
    const runs = [first, second.run];
    const agent = { ...second, run: (...args: Parameters<typeof second.run>) => runs.shift()!(...args) };
    const desk = new Desk({ account: "desk" });
    const gateway = await TestGateway.start({ agent, bots: [desk] });
    fail = () =>
      gateway.change("INSERT INTO gw_previews (inbox_id, message_id) SELECT id, 'p1' FROM gw_inbox");
    await desk.say(ann, "hello");
    await until("the second attempt is shown", () => desk.previews.length > 0);
    await desk.say(ann, "/stop");
    await gateway.idle();
    expect(desk.dismissed).toEqual([]);
  });
});
