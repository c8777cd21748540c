import { describe, expect, it } from "vitest";
import type { ClientRequest } from "../../src/client-request.js";
import { agentOn, startServer } from "../agents/support.js";
import { calls, says } from "../emulators/model-server.js";
import { plain, TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";

/** Programs that wait for their answers. */

const client = inDm("program");
const TOOL = {
  name: "get_weather",
  description: "The weather.",
  parameters: { type: "object", properties: {} },
};

async function start(options: TestGatewayOptions = {}) {
  const gateway = await TestGateway.start(options);
  const ask = async (text: string, request: Partial<ClientRequest> = {}) => {
    const before = gateway.adapter.sent.length;
    await gateway.say(client, text, { request: { fingerprint: text, stream: false, ...request } });
    await gateway.idle();
    return gateway.adapter.sent.slice(before);
  };
  return { gateway, ask };
}

describe("an API request", () => {
  it("gets its answer with details", async () => {
    const { gateway, ask } = await start();
    const [answer] = await ask("hello");
    const session = await gateway.session(client);
    expect(answer).toMatchObject({
      kind: "answer",
      details: { sessionId: session.id, model: "echo", finishReason: "stop", calls: [] },
    });
    expect(answer!.details!.usage.inputTokens).toBeGreaterThan(0);
    expect(gateway.adapter.previews).toEqual([]);
    await ask("again", { stream: true });
    expect(gateway.adapter.previews.at(-1)).toBe("again");
  });

  it("gets a failure if there is no answer", async () => {
    const { ask } = await start();
    await ask("first");
    expect((await ask("[SILENT]"))[0]).toMatchObject({ text: "[SILENT]", details: { finishReason: "stop" } });
    expect((await ask("!fail rate_limit"))[0]).toMatchObject({
      kind: "notice",
      details: { finishReason: "error", failure: { kind: "rate_limit" } },
    });
  });

  it("is never merged with another, and never interrupts one", async () => {
    const { gateway } = await start();
    const texts = ["!slow 50 one", "two", "three", "four"];
    await Promise.all(
      texts.map((text) => gateway.say(client, text, { request: { fingerprint: text, stream: false } })),
    );
    await gateway.idle();
    const answers = gateway.adapter.to(client).map(({ text }) => plain(text));
    expect(answers).toHaveLength(4);
    expect(answers.toSorted()).toEqual(["four", "one", "three", "two"]);
  });

  it("gets a failure if it is stopped", async () => {
    const { gateway } = await start();
    await gateway.say(client, "!slow 60000 one", { request: { fingerprint: "1", stream: false } });
    await gateway.store.getRoute(gateway.keyOf(client));
    await gateway.say(client, "/stop");
    await gateway.idle();
    const stopped = gateway.adapter.to(client).filter(({ details }) => details?.failure);
    // If its turn hadn't started, it was cancelled in the queue.
    const state = gateway.read<{ state: string }>("SELECT state FROM gw_inbox ORDER BY id")[0]!.state;
    expect(state).toBe("cancelled");
    expect(stopped.length).toBeLessThanOrEqual(1);
  });

  it("starts a session with the client's history and id, and continues it without them", async () => {
    const { gateway, ask } = await start();
    const history = [
      { role: "user", content: "before" },
      { role: "assistant", content: "I said before" },
    ];
    const [answer] = await ask("now", { history, sessionId: "api_x" });
    expect(answer).toMatchObject({ text: "now", details: { sessionId: "api_x" } });
    await ask("later", { history: [{ role: "user", content: "never" }], sessionId: "api_y" });
    const messages = await gateway.store.getMessages("api_x");
    expect(messages.map(({ content }) => content)).toEqual([
      "before",
      "I said before",
      "now",
      "now",
      "later",
      "later",
    ]);
  });
});

describe("a client's tools", () => {
  it("are called by the echo agent, and their results return", async () => {
    const { gateway, ask } = await start();
    const [called] = await ask('!tool get_weather {"city":"Rome"}', { tools: [TOOL] });
    const [call] = called!.details!.calls;
    expect(called!.details).toMatchObject({ finishReason: "tool_calls" });
    expect(call).toMatchObject({ name: "get_weather", arguments: '{"city":"Rome"}' });
    const [answer] = await ask("", { tools: [TOOL], results: [{ callId: call!.id, text: "sunny" }] });
    expect(answer!.text).toContain("sunny");
    const { id } = await gateway.session(client);
    const roles = (await gateway.store.getMessages(id)).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("are offered in addition to ours, and calling one ends the turn", async () => {
    const server = await startServer();
    const { gateway, ask } = await start({ agent: agentOn(server) });
    server.script(
      {
        calls: [
          { id: "c1", name: "get_weather", arguments: { city: "Rome" } },
          { id: "c2", name: "memory", arguments: { action: "read" } },
        ],
      },
      says("Sunny, it seems."),
    );
    const [called] = await ask("weather?", { tools: [TOOL], toolChoice: { name: "get_weather" } });
    expect(called!.details!.calls).toEqual([{ id: "c1", name: "get_weather", arguments: '{"city":"Rome"}' }]);
    const first = server.requests[0]!.body;
    expect(first.tools!.map((tool) => tool.function!.name)).toContain("memory");
    expect(first.tool_choice).toEqual({ type: "function", function: { name: "get_weather" } });

    const [answer] = await ask("", { tools: [TOOL], results: [{ callId: "c1", text: "25 degrees" }] });
    expect(answer!.text).toBe("Sunny, it seems.");
    const seen = server.requests[1]!.body.messages.filter(({ role }) => role === "tool");
    expect(seen.map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      ["c1", "25 degrees"],
      ["c2", "Nothing is remembered yet."],
    ]);
    expect(server.requests).toHaveLength(2);
    await gateway.idle();
  });

  it("take precedence over ours of the same name", async () => {
    const server = await startServer();
    const { ask } = await start({ agent: agentOn(server) });
    server.script(calls("memory", { q: 1 }, "c9"));
    const [called] = await ask("remember?", { tools: [{ ...TOOL, name: "memory" }] });
    expect(called!.details!.calls).toMatchObject([{ id: "c9", name: "memory" }]);
    expect(server.requests[0]!.body.tools!.filter((tool) => tool.function!.name === "memory")).toHaveLength(
      1,
    );
  });
});
