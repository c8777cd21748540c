import { describe, expect, it } from "vitest";
import type { TurnUsage } from "../../../src/agents/backend.js";
import { calls, says } from "../../emulators/model-server.js";
import { agentOn, call, deltas, ending, messages, runTurn, startServer, tool, turn } from "../support.js";

function usages(events: Awaited<ReturnType<typeof runTurn>>): TurnUsage[] {
  return events.flatMap((event) => (event.type === "usage" ? [event.usage] : []));
}

describe("an answer", () => {
  it("streams and then arrives whole", async () => {
    const server = await startServer();
    server.script(says("Good", " mor", "ning"));
    const events = await runTurn(agentOn(server), turn("hi"));
    expect(deltas(events)).toEqual(["Good", " mor", "ning"]);
    expect(messages(events)).toEqual([
      { role: "assistant", content: "Good morning", finish_reason: "stop", token_count: 5 },
    ]);
    expect(ending(events)).toBe("done");
  });

  it("is requested with system prompt, history and new message", async () => {
    const server = await startServer();
    const history = [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
    ];
    await runTurn(agentOn(server), turn("three", { history }));
    const { body, headers } = await server.received(1);
    expect(body.messages).toEqual([
      { role: "system", content: "You are a test." },
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
    ]);
    expect(headers.authorization).toBe("Bearer k");
  });

  it("keeps the model's reasoning in the message and doesn't send it back", async () => {
    const server = await startServer();
    server.script({ reasoning: ["hm, ", "yes"], ...calls("look", {}) }, says("done"));
    const events = await runTurn(agentOn(server), turn("go", { tools: [tool("look", async () => "seen")] }));
    expect(messages(events)[0]?.reasoning).toBe("hm, yes");
    expect(deltas(events)).toEqual(["done"]);
    expect(JSON.stringify((await server.received(2)).body)).not.toContain("hm, ");
  });

  it("counts as an answer if the length limit cut it off", async () => {
    const server = await startServer();
    server.script({ ...says("half"), finishReason: "length" });
    const events = await runTurn(agentOn(server), turn("go"));
    expect(messages(events)[0]?.finish_reason).toBe("length");
    expect(ending(events)).toBe("done");
  });

  it("can come from another model of the same service if the session selects it", async () => {
    const server = await startServer();
    const agent = agentOn(server, { cost: { input: 1, output: 1 } });
    const [usage] = usages(await runTurn(agent, turn("hi", { model: "m-9" })));
    expect((await server.received(1)).body.model).toBe("m-9");
    expect(usage?.model).toBe("m-9");
    expect(usage).not.toHaveProperty("costUsd");
  });

  it("closes the connection if the consumer stops reading", async () => {
    const server = await startServer();
    server.script({ ...says("on and "), endless: true });
    for await (const event of agentOn(server).run(turn("go"), new AbortController().signal)) {
      if (event.type === "text") break;
    }
    await server.left(1);
  });
});

describe("tool calls", () => {
  it("run in order, and each round is emitted as messages", async () => {
    const server = await startServer();
    server.script(
      {
        text: ["Let me see."],
        calls: [
          { id: "a", name: "add", arguments: { n: 1 } },
          { id: "b", name: "add", arguments: { n: 2 } },
        ],
      },
      says("Both done."),
    );
    const order: unknown[] = [];
    const add = tool("add", async ({ n }) => `added ${order.push(n)}`);
    const events = await runTurn(agentOn(server), turn("add", { tools: [add] }));
    expect(order).toEqual([1, 2]);
    expect(messages(events)).toEqual([
      {
        role: "assistant",
        content: "Let me see.",
        tool_calls: [call("a", "add", '{"n":1}'), call("b", "add", '{"n":2}')],
        finish_reason: "tool_calls",
        token_count: 5,
      },
      { role: "tool", content: "added 1", tool_call_id: "a", tool_name: "add" },
      { role: "tool", content: "added 2", tool_call_id: "b", tool_name: "add" },
      { role: "assistant", content: "Both done.", finish_reason: "stop", token_count: 5 },
    ]);
    expect((await server.received(2)).body.messages.slice(-3).map((m) => m.role)).toEqual([
      "assistant",
      "tool",
      "tool",
    ]);
  });

  it("offer the tools with their schema", async () => {
    const server = await startServer();
    const parameters = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
    const find = { ...tool("find", async () => ""), parameters };
    await runTurn(agentOn(server), turn("go", { tools: [find] }));
    expect((await server.received(1)).body.tools?.[0]?.function).toMatchObject({ name: "find", parameters });
  });

  it.each([
    ["a tool that throws", calls("broken", {}), "Error: out of paper"],
    ["a tool that doesn't exist", calls("nothing", {}), 'Error: there is no tool "nothing". Tools: broken'],
    [
      "arguments that are no JSON",
      calls("broken", '{"a": '),
      'Error: the arguments are not a JSON object: {"a":',
    ],
  ])("turn %s into words for the model", async (_, scripted, text) => {
    const server = await startServer();
    server.script(scripted, says("I see."));
    const broken = tool("broken", async () => {
      throw new Error("out of paper");
    });
    const events = await runTurn(agentOn(server), turn("go", { tools: [broken] }));
    expect(String(messages(events)[1]?.content)).toContain(text.trim());
    expect(ending(events)).toBe("done");
  });

  it("include steering between two rounds", async () => {
    const server = await startServer();
    server.script(calls("look", {}), says("In blue, then."));
    const waiting = ["make it blue"];
    const request = turn("paint", {
      tools: [tool("look", async () => "seen")],
      takeSteering: () => waiting.splice(0),
    });
    const events = await runTurn(agentOn(server), request);
    expect(messages(events).map((message) => message.role)).toEqual([
      "assistant",
      "tool",
      "user",
      "assistant",
    ]);
    expect((await server.received(2)).body.messages.at(-1)).toEqual({
      role: "user",
      content: "make it blue",
    });
  });

  it("aren't allowed in the last round of a turn", async () => {
    const server = await startServer();
    server.script(calls("look", {}), says("That's it."));
    const agent = agentOn(server, {}, { maxSteps: 2 });
    const events = await runTurn(agent, turn("go", { tools: [tool("look", async () => "seen")] }));
    expect((await server.received(1)).body.tool_choice).toBe("auto");
    expect((await server.received(2)).body.tool_choice).toBe("none");
    expect(ending(events)).toBe("done");
  });

  it("fail the turn and don't run if the model calls one in the last round", async () => {
    const server = await startServer();
    server.script(calls("look", {}));
    let looks = 0;
    const look = tool("look", async () => `seen ${++looks}`);
    const events = await runTurn(agentOn(server, {}, { maxSteps: 1 }), turn("go", { tools: [look] }));
    expect(looks).toBe(0);
    expect(messages(events)).toEqual([]);
    expect(ending(events)).toBe("other");
  });

  it("aren't awaited after an abort", async () => {
    const server = await startServer();
    server.script(calls("deaf", {}));
    const stop = new AbortController();
    const deaf = tool("deaf", () => {
      queueMicrotask(() => stop.abort());
      return new Promise(() => undefined);
    });
    const events = await runTurn(agentOn(server), turn("go", { tools: [deaf] }), stop.signal);
    expect(ending(events)).toBe("stopped");
  });
});

describe("usage", () => {
  it("is emitted per request with its cost, and cached tokens separately", async () => {
    const server = await startServer();
    server.script(
      { ...calls("look", {}), usage: { input: 1000, output: 100, cacheRead: 400, reasoning: 30 } },
      { ...says("ok"), usage: { input: 2000, output: 10 } },
    );
    const agent = agentOn(server, { cost: { input: 2, output: 10 } });
    const events = await runTurn(agent, turn("go", { tools: [tool("look", async () => "seen")] }));
    const [first, second] = usages(events);
    expect(first).toEqual({
      model: "m-1",
      provider: "openai-compatible",
      baseUrl: server.url,
      inputTokens: 600,
      cacheReadTokens: 400,
      cacheWriteTokens: 0,
      outputTokens: 100,
      reasoningTokens: 30,
      costUsd: expect.closeTo(0.003, 9),
    });
    expect(second).toMatchObject({ inputTokens: 2000, costUsd: expect.closeTo(0.0041, 9) });
  });

  it("has no cost if the price is unknown", async () => {
    const server = await startServer();
    expect(usages(await runTurn(agentOn(server), turn("hi")))[0]).not.toHaveProperty("costUsd");
  });

  it("is estimated if the service doesn't report it", async () => {
    const server = await startServer();
    server.script({ ...says("a few words here"), usage: null });
    const [usage] = usages(await runTurn(agentOn(server), turn("word ".repeat(200))));
    expect(usage?.inputTokens).toBeGreaterThan(100);
    expect(usage?.outputTokens).toBeGreaterThan(2);
  });
});

describe("the providers", () => {
  it.each(["openai", "anthropic"])("%s works with a custom base URL", async (provider) => {
    const server = await startServer();
    server.script({ ...says("Hel", "lo"), usage: { input: 50, output: 7, cacheRead: 20 } });
    const events = await runTurn(agentOn(server, { provider }), turn("hi"));
    expect(deltas(events)).toEqual(["Hel", "lo"]);
    expect(usages(events)[0]).toMatchObject({
      provider,
      inputTokens: 30,
      cacheReadTokens: 20,
      outputTokens: 7,
    });
    expect((await server.received(1)).path).toBe(
      provider === "openai" ? "/v1/chat/completions" : "/v1/messages",
    );
  });

  it.each(["openai", "anthropic"])("%s calls tools", async (provider) => {
    const server = await startServer();
    server.script(calls("look", { at: "sky" }, "id1"), says("Blue."));
    const look = tool("look", async ({ at }) => `${at} is blue`);
    const events = await runTurn(agentOn(server, { provider }), turn("hi", { tools: [look] }));
    expect(messages(events).map((message) => message.content)).toEqual(["", "sky is blue", "Blue."]);
    expect(messages(events)[0]?.tool_calls).toEqual([call("id1", "look", '{"at":"sky"}')]);
    expect(JSON.stringify((await server.received(2)).body.messages.at(-1))).toContain("sky is blue");
  });

  it("anthropic gets cache markers", async () => {
    const server = await startServer();
    await runTurn(agentOn(server, { provider: "anthropic" }), turn("hi"));
    expect(JSON.stringify((await server.received(1)).body.system)).toContain("ephemeral");
  });
});
