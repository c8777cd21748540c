import { describe, expect, it } from "vitest";
import { echoAgent, NO_MODEL } from "../../src/agents/echo.js";
import { call, deltas, ending, messages, runTurn, tool, turn } from "./support.js";

const history = [
  { role: "user", content: "hi" },
  { role: "assistant", content: "hi" },
];

describe("the echo agent", () => {
  it("echoes the message in chunks", async () => {
    const text = "one two  three\nfour five six ";
    const events = await runTurn(echoAgent(), turn(text, { history }));
    expect(deltas(events).length).toBeGreaterThan(1);
    expect(deltas(events).join("")).toBe(text);
    expect(messages(events)).toEqual([{ role: "assistant", content: text, finish_reason: "stop" }]);
    expect(ending(events)).toBe("done");
  });

  it("mentions in a session's first answer that no model is configured", async () => {
    const events = await runTurn(echoAgent(), turn("hello"));
    expect(messages(events)[0]?.content).toBe(`${NO_MODEL}\n\nhello`);
    expect(NO_MODEL).toContain("hermes setup");
  });

  it("costs nothing", async () => {
    const events = await runTurn(echoAgent(), turn("hello", { history }));
    expect(events).toContainEqual({
      type: "usage",
      usage: expect.objectContaining({ model: "echo", costUsd: 0, inputTokens: 2, outputTokens: 2 }),
    });
  });

  it("is deterministic", async () => {
    const once = await runTurn(echoAgent(), turn("again", { history }));
    expect(await runTurn(echoAgent(), turn("again", { history }))).toEqual(once);
  });

  it("waits on !slow, then answers with the rest", async () => {
    const events = await runTurn(echoAgent(), turn("!slow 1 now", { history }));
    expect(deltas(events).join("")).toBe("now");
  });

  it("can be aborted while waiting", async () => {
    const stop = new AbortController();
    const running = runTurn(echoAgent(), turn("!slow 600000 never", { history }), stop.signal);
    stop.abort();
    expect(ending(await running)).toBe("stopped");
  });

  it("calls a tool on !tool, also after a sender's name", async () => {
    const add = tool("add", async (args) => `sum ${Number(args.a) + 1}`);
    const events = await runTurn(echoAgent(), turn('[Ann] !tool add {"a":1}', { history, tools: [add] }));
    expect(messages(events)).toEqual([
      { role: "assistant", content: null, tool_calls: [call("echo_2", "add", '{"a":1}')] },
      { role: "tool", content: "sum 2", tool_call_id: "echo_2", tool_name: "add" },
      { role: "assistant", content: "sum 2", finish_reason: "stop" },
    ]);
  });

  it.each([
    "context_length",
    "rate_limit",
    "timeout",
    "credentials",
    "content_filter",
    "refused",
    "network",
    "other",
  ])("fails with %s", async (kind) => {
    expect(ending(await runTurn(echoAgent(), turn(`!fail ${kind}`)))).toBe(kind);
  });

  it("treats unknown directives as text", async () => {
    const events = await runTurn(echoAgent(), turn("!constructor x", { history }));
    expect(deltas(events).join("")).toBe("!constructor x");
  });
});
