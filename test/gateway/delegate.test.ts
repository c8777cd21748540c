import { describe, expect, it } from "vitest";
import type { TurnRequest } from "../../src/agents/backend.js";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { TestGateway } from "../support/gateway.js";
import { ScriptedAgent, type ScriptedStep } from "../support/scripted-agent.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");

function tool(name: string, given: Partial<ToolDefinition> = {}): ToolDefinition {
  const about = { toolset: "own", description: name, parameters: {} };
  return { name, ...about, effect: "read", repeat: "safe", run: async () => `${name} ran`, ...given };
}

const isHelper = ({ session }: TurnRequest) => session.id.startsWith("delegate_");

function agents(helper: readonly ScriptedStep[], args: object = { goal: "find it" }): ScriptedAgent {
  return new ScriptedAgent((request) =>
    isHelper(request) ? helper : [{ usage: 0.1 }, { call: "delegate_task", args }, { say: ["all done"] }],
  );
}

interface ChildRow {
  id: string;
  source: string;
  parent_session_id: string;
  message_count: number;
  estimated_cost_usd: number;
  api_call_count: number;
}

function helpers(gateway: TestGateway): ChildRow[] {
  return gateway.read<ChildRow>("SELECT * FROM sessions WHERE id LIKE 'delegate\\_%' ESCAPE '\\'");
}

describe("a delegated task", () => {
  it("runs in its own session, and its answer is the result", async () => {
    const agent = agents([{ usage: 0.2 }, { call: "look" }, { usage: 0.3 }, { say: ["found ", "it"] }], {
      ...{ goal: "find it", context: "it is red" },
    });
    const gateway = await TestGateway.start({ agent, tools: [tool("look")] });
    expect(await gateway.ask(ann, "go")).toEqual(["all done"]);
    expect(agent.results).toEqual(["look ran", '{"success":true,"result":"found it"}']);
    const parent = await gateway.session(ann);
    const [child] = helpers(gateway);
    expect(child).toMatchObject({ source: "test", parent_session_id: parent.id, message_count: 4 });
    expect(child!.api_call_count).toBe(2);
    expect(child!.estimated_cost_usd).toBeCloseTo(0.5);
    expect(parent.estimated_cost_usd).toBeCloseTo(0.1);
    const { descendants } = await gateway.store.getLineage(parent.id);
    expect(descendants).toMatchObject([{ id: child!.id, kind: "delegate" }]);
    expect(agent.requests[1]!.input).toEqual([{ role: "user", content: "find it\n\nContext:\nit is red" }]);
    const { calls } = await gateway.store.reports.toolCalls({});
    expect(calls.map(({ tool, state, sessionId }) => [tool, state, sessionId])).toEqual([
      ["look", "done", child!.id],
      ["delegate_task", "done", parent.id],
    ]);
  });

  it("has no tools that message people, can't be repeated, need approval or delegate", async () => {
    const agent = agents([{ say: ["ok"] }]);
    const gateway = await TestGateway.start({
      agent,
      tools: [
        tool("look"),
        tool("buy", { repeat: "never" }),
        tool("ask_first", { ask: "always" }),
        tool("cut"),
      ],
      config: { owners: ["test:ann"], approvals: { deny: ["cut"] } },
    });
    await gateway.ask(ann, "go");
    const names = agent.requests[1]!.tools.map(({ name }) => name);
    expect(names).toContain("look");
    expect(names).toContain("session_search");
    for (const name of [
      "clarify",
      "cronjob",
      "delegate_task",
      "memory",
      "send_message",
      "buy",
      "ask_first",
      "cut",
    ])
      expect(names).not.toContain(name);
    const narrow = agents([{ say: ["ok"] }], { goal: "x", toolsets: ["own", "nothing"] });
    const other = await TestGateway.start({ agent: narrow, tools: [tool("look")] });
    await other.ask(ann, "go");
    expect(narrow.requests[1]!.tools.map(({ name }) => name)).toEqual(["look"]);
  });

  it("reports a failure to the agent, and its session is kept", async () => {
    const agent = agents([{ call: "look" }, { wait: () => Promise.reject(new Error("no model")) }]);
    const gateway = await TestGateway.start({ agent, tools: [tool("look")] });
    expect(await gateway.ask(ann, "go")).toEqual(["all done"]);
    expect(agent.results.at(-1)).toBe("Error: no model");
    expect(helpers(gateway)).toHaveLength(1);
  });

  it("stops with its turn", async () => {
    let aborted = false;
    const endless = tool("look", {
      run: (_, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(new Error("aborted"));
          }),
        ),
    });
    const gateway = await TestGateway.start({ agent: agents([{ call: "look" }]), tools: [endless] });
    await gateway.say(ann, "go");
    await until("the helper works", async () => {
      const { calls } = await gateway.store.reports.toolCalls({ tool: "look" });
      return calls[0]?.state === "running";
    });
    await gateway.ask(ann, "/stop");
    expect(aborted).toBe(true);
    expect(helpers(gateway)).toEqual([]);
    const { calls } = await gateway.store.reports.toolCalls({});
    expect(calls.map(({ state }) => state)).toEqual(["unknown", "unknown"]);
  });

  it("runs again after a restart, and its turn continues", async () => {
    let runs = 0;
    const first = tool("look", {
      run: (_, { signal }) => new Promise((_, no) => signal.addEventListener("abort", no)),
    });
    const again = tool("look", {
      run: async () => {
        runs += 1;
        return "seen";
      },
    });
    // An agent that continues behind its steps.
    const agent = () =>
      new ScriptedAgent((request) =>
        isHelper(request)
          ? [{ call: "look" }, { say: ["found"] }]
          : (request.steps ?? []).length > 0
            ? [{ rerun: true }, { say: ["all done"] }]
            : [{ call: "delegate_task", args: { goal: "find it" } }, { say: ["all done"] }],
      );
    const gateway = await TestGateway.start({ agent: agent(), tools: [first] });
    await gateway.say(ann, "go");
    await until("the helper works", async () => {
      const { calls } = await gateway.store.reports.toolCalls({ tool: "look" });
      return calls[0]?.state === "running";
    });
    const next = await gateway.restart({ agent: agent(), tools: [again] });
    await next.idle();
    expect(next.adapter.to(ann).map(({ text }) => text)).toEqual(["all done"]);
    expect(runs).toBe(1);
    expect(helpers(next)).toHaveLength(1);
    const { calls } = await next.store.reports.toolCalls({});
    expect(calls.map(({ tool, state }) => [tool, state])).toEqual([
      ["look", "done"],
      ["look", "unknown"],
      ["delegate_task", "done"],
    ]);
  });

  it("counts towards the cost of its turn", async () => {
    const agent = new ScriptedAgent((request) =>
      isHelper(request)
        ? [{ usage: 2 }, { say: ["found"] }]
        : [{ call: "delegate_task", args: { goal: "x" } }, { call: "look" }, { say: ["never said"] }],
    );
    const config = { agent: { max_turn_cost_usd: 1, restart_drain_timeout: 0.2 } };
    const gateway = await TestGateway.start({ agent, tools: [tool("look")], config });
    const [notice] = await gateway.ask(ann, "go");
    expect(notice).toContain("agent.max_turn_cost_usd");
    expect(agent.results).toHaveLength(1);
  });
});
