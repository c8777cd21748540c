import net from "node:net";
import { describe, expect, it } from "vitest";
import type { AgentEvent, Failure } from "../../../src/agents/backend.js";
import { calls, refuses, says, tooLong } from "../../emulators/model-server.js";
import {
  agentOn,
  deltas,
  ending,
  messages,
  runTurn,
  serverModel,
  startServer,
  tool,
  turn,
} from "../support.js";

function failure(events: readonly AgentEvent[]) {
  const last = events.at(-1);
  return last?.type === "failed" ? last.failure : undefined;
}

describe("error messages that echo the request", () => {
  it.each([
    ["as it is", (said: string) => said],
    ["as JSON", (said: string) => JSON.stringify(said)],
    ["as ASCII", (said: string) => JSON.stringify(said).replace("ä", "\\u00e4")],
    ["in part", (said: string) => `${said.slice(0, 20)}…`],
  ])("%s is heard up to our own words: logs hold none", async (_, repeated) => {
    const server = await startServer();
    server.script({
      error: { status: 422, body: `No string in messages.1: ${repeated('Kätzchen "PIN" 99')}` },
    });
    const events = await runTurn(agentOn(server), turn('Kätzchen "PIN" 99'));
    expect(failure(events)?.message).toMatch(
      /^m-1 \(openai-compatible\): HTTP 422: .*No string in messages\.1/,
    );
    expect(failure(events)?.message).not.toMatch(/tzchen|PIN|99/);
  });

  it("are classified by the text after the echo", async () => {
    const server = await startServer();
    const said = "a very long story";
    server.script({ error: { status: 400, body: `${said}: maximum context length exceeded` } });
    expect(ending(await runTurn(agentOn(server), turn(said)))).toBe("context_length");
  });
});

describe("a retryable failure", () => {
  it.each([
    ["429", refuses(429, "slow down")],
    ["500", refuses(500, "boom")],
    ["529", refuses(529, "overloaded")],
    ["a connection that is cut before the headers", { ...says("x"), cutAfter: -1 }],
    ["a connection that is cut before the first word", { ...says("x"), cutAfter: 0 }],
    ["an answer without words", says()],
  ])("%s is tried again", async (_, scripted) => {
    const server = await startServer();
    server.script(scripted, scripted, scripted, says("there"));
    const events = await runTurn(agentOn(server), turn("hi"));
    expect(deltas(events)).toEqual(["there"]);
    expect(messages(events)).toHaveLength(1);
    expect(server.requests).toHaveLength(4);
  });

  it.each([
    [429, "rate_limit"],
    [503, "network"],
  ])("%s is given up after three more attempts, as %s", async (status, kind) => {
    const server = await startServer();
    const no = refuses(status, "no");
    server.script(no, no, no, no, says("too late"));
    const events = await runTurn(agentOn(server), turn("hi"));
    expect(ending(events)).toBe(kind);
    expect(server.requests).toHaveLength(4);
    expect(failure(events)?.notice).toMatch(/\.$/);
  });

  it("waits for Retry-After", async () => {
    const server = await startServer();
    server.script(refuses(429, "slow down", { "retry-after-ms": "120" }), says("there"));
    const startedMs = performance.now();
    await runTurn(agentOn(server), turn("hi"));
    expect(performance.now() - startedMs).toBeGreaterThan(110);
  });

  it("doesn't wait if Retry-After is hours", async () => {
    const server = await startServer();
    server.script(refuses(429, "slow down", { "retry-after": "7200" }));
    expect(ending(await runTurn(agentOn(server), turn("hi")))).toBe("rate_limit");
    expect(server.requests).toHaveLength(1);
  });

  it("can be aborted while waiting", async () => {
    const server = await startServer();
    server.script(refuses(429, "slow down", { "retry-after": "30" }));
    const stop = new AbortController();
    const running = runTurn(agentOn(server), turn("hi"), stop.signal);
    await server.received(1);
    stop.abort();
    expect(ending(await running)).toBe("stopped");
  });

  it("isn't retried mid-answer, because the user has seen the beginning", async () => {
    const server = await startServer();
    server.script({ ...says("Once", " upon"), cutAfter: 1 }, says("again"));
    const events = await runTurn(agentOn(server), turn("hi"));
    expect(deltas(events)).toEqual(["Once"]);
    expect(ending(events)).toBe("network");
    expect(server.requests).toHaveLength(1);
  });

  it("retries only the request after a tool call, not the tool", async () => {
    const server = await startServer();
    server.script(calls("look", {}), refuses(500, "boom"), says("ok"));
    let looks = 0;
    const look = tool("look", async () => `seen ${++looks}`);
    const events = await runTurn(agentOn(server), turn("hi", { tools: [look] }));
    expect(looks).toBe(1);
    expect(ending(events)).toBe("done");
    expect(server.requests[2]?.body.messages).toEqual(server.requests[1]?.body.messages);
  });
});

describe("a permanent failure", () => {
  it.each([
    [400, "refused"],
    [401, "credentials"],
    [403, "credentials"],
    [404, "refused"],
  ])("%s is not repeated", async (status, kind) => {
    const server = await startServer();
    server.script(refuses(status, "no"));
    expect(ending(await runTurn(agentOn(server), turn("hi")))).toBe(kind);
    expect(server.requests).toHaveLength(1);
  });

  it("names the model and the fix for a rejected key", async () => {
    const server = await startServer();
    server.script(refuses(401, "Incorrect API key provided"));
    const last = (await runTurn(agentOn(server), turn("hi"))).at(-1);
    expect(last).toMatchObject({ type: "failed" });
    const { message, notice } = (last as { failure: Failure }).failure;
    expect(message).toMatch(/^m-1 \(openai-compatible\): HTTP 401: Incorrect API key provided/);
    expect(notice).toContain("m-1");
    expect(notice).toContain("HERMES_MODEL_API_KEY");
  });

  it("distinguishes the provider's content filter from wrong settings", async () => {
    const server = await startServer();
    server.script({ ...says(), finishReason: "content_filter" });
    const events = await runTurn(agentOn(server), turn("hi"));
    expect(ending(events)).toBe("content_filter");
    expect(messages(events)).toEqual([]);
  });

  it("reports a context that is too long without trying other models", async () => {
    const server = await startServer();
    server.script(tooLong());
    const agent = agentOn(server, { fallback: [serverModel(server, { default: "m-2" })] });
    expect(ending(await runTurn(agent, turn("hi")))).toBe("context_length");
    expect(server.requests).toHaveLength(1);
  });

  it("never contains the API key", async () => {
    const server = await startServer();
    server.script(refuses(401, "bad key"));
    const agent = agentOn(server, { api_key: "sk-very-secret" });
    expect(JSON.stringify(await runTurn(agent, turn("hi")))).not.toContain("sk-very-secret");
  });
});

describe("timeouts", () => {
  it("closes the request if the first token doesn't arrive", async () => {
    const server = await startServer();
    server.script({ ...says("x"), stallAfter: 0 });
    const events = await runTurn(agentOn(server, {}, { limits: { firstWordMs: 50 } }), turn("hi"));
    expect(failure(events)).toMatchObject({
      kind: "timeout",
      message: "m-1 (openai-compatible): no first word within 0.05 s",
    });
    await server.left(1);
  });

  it("fail a turn that stalls mid-answer", async () => {
    const server = await startServer();
    server.script({ ...says("Once", "upon"), stallAfter: 1 });
    const events = await runTurn(agentOn(server, {}, { limits: { idleMs: 50 } }), turn("hi"));
    expect(deltas(events)).toEqual(["Once"]);
    expect(failure(events)).toMatchObject({
      kind: "timeout",
      message: "m-1 (openai-compatible): no next word within 0.05 s",
    });
  });

  it("don't fire if output resumes in time", async () => {
    const server = await startServer();
    server.script({ ...says("at last"), firstWordAfterMs: 800 });
    const events = await runTurn(agentOn(server, {}, { limits: { idleMs: 500 } }), turn("hi"));
    expect(ending(events)).toBe("done");
  });

  it("stop output that never ends", async () => {
    const server = await startServer();
    server.script({ ...says("and "), endless: true });
    const events = await runTurn(agentOn(server, {}, { limits: { totalMs: 100 } }), turn("hi"));
    expect(failure(events)?.message).toBe("m-1 (openai-compatible): the answer did not end within 0.1 s");
    await server.left(1);
  });
});

describe("aborting", () => {
  it("ends the turn mid-answer and closes the request", async () => {
    const server = await startServer();
    server.script({ ...says("and "), endless: true });
    const stop = new AbortController();
    const events: AgentEvent[] = [];
    for await (const event of agentOn(server).run(turn("hi"), stop.signal)) {
      events.push(event);
      stop.abort();
    }
    expect(ending(events)).toBe("stopped");
    await server.left(1);
  });

  it("sends no request if the signal is already aborted", async () => {
    const server = await startServer();
    const events = await runTurn(agentOn(server), turn("hi"), AbortSignal.abort());
    expect(events).toHaveLength(1);
    expect(ending(events)).toBe("stopped");
    expect(server.requests).toEqual([]);
  });
});

describe("fallback models", () => {
  it.each([
    ["keeps failing", [refuses(500, "a"), refuses(500, "b"), refuses(500, "c"), refuses(500, "d")]],
    ["refuses", [refuses(401, "no")]],
    ["is silent", [{ ...says("x"), stallAfter: 0 }]],
  ])("answer when the main one %s", async (_, script) => {
    const [server, other] = [await startServer(), await startServer()];
    server.script(...script);
    other.script(says("from the other"));
    const fallback = [serverModel(other, { default: "m-2" })];
    const events = await runTurn(
      agentOn(server, { fallback }, { limits: { firstWordMs: 1000 } }),
      turn("hi"),
    );
    expect(deltas(events)).toEqual(["from the other"]);
    expect(events).toContainEqual({
      type: "usage",
      usage: expect.objectContaining({ model: "m-2", baseUrl: other.url }),
    });
  });

  it("are tried in order, and the last failure is reported", async () => {
    const server = await startServer();
    server.script(refuses(401, "first"), refuses(403, "second"), refuses(404, "third"));
    const fallback = ["m-2", "m-3"].map((name) => serverModel(server, { default: name }));
    const events = await runTurn(agentOn(server, { fallback }), turn("hi"));
    expect(server.requests.map(({ body }) => body.model)).toEqual(["m-1", "m-2", "m-3"]);
    expect(failure(events)?.message).toContain("third");
  });

  it("are kept for the rest of the turn", async () => {
    const server = await startServer();
    server.script(refuses(401, "no"), calls("look", {}), says("ok"));
    const agent = agentOn(server, { fallback: [serverModel(server, { default: "m-2" })] });
    await runTurn(agent, turn("hi", { tools: [tool("look", async () => "seen")] }));
    expect(server.requests.map(({ body }) => body.model)).toEqual(["m-1", "m-2", "m-2"]);
  });

  it("aren't tried after the user has seen part of an answer", async () => {
    const server = await startServer();
    server.script({ ...says("Once", "upon"), cutAfter: 1 });
    const agent = agentOn(server, { fallback: [serverModel(server, { default: "m-2" })] });
    expect(ending(await runTurn(agent, turn("hi")))).toBe("network");
    expect(server.requests).toHaveLength(1);
  });

  it("answer if the main endpoint refuses connections", async () => {
    const server = await startServer();
    const base_url = await closedAddress();
    const agent = agentOn(server, { base_url, fallback: [serverModel(server, { default: "m-2" })] });
    expect(ending(await runTurn(agent, turn("hi")))).toBe("done");
  });
});

async function closedAddress(): Promise<string> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}
