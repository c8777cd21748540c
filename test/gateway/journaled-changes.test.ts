import { describe, expect, it } from "vitest";
import type { AgentBackend, AgentEvent } from "../../src/agents/backend.js";
import { agentOn, startServer } from "../agents/support.js";
import { calls, type ModelServer, says } from "../emulators/model-server.js";
import { TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { HeldTool } from "../support/held-tool.js";
import { inDm } from "../support/test-adapter.js";

const ann = inDm("ann");
const zoe = inDm("zoe");

/**
 * What /stop, /new, an edit, a deletion and a reset do to a turn with steps: while it runs, while it waits for an answer, and
 * after a crash, before it goes on.
 */
type Moment = "running" | "suspended" | "interrupted";
const MOMENTS: Moment[] = ["running", "suspended", "interrupted"];

interface Scene {
  gateway: TestGateway;
  server: ModelServer;
  /** Its call is done. */
  first: HeldTool;
  /** Its call runs, waits for approval, or was cut off. */
  second: HeldTool;
  messageId: string;
  /** What holds up the second call is gone. */
  goOn(): Promise<void>;
}

async function sceneAt(moment: Moment, config: TestGatewayOptions["config"] = {}): Promise<Scene> {
  const server = await startServer();
  const first = new HeldTool({ name: "first" });
  const second = new HeldTool({ name: "second", ...(moment === "suspended" ? { ask: "always" } : {}) });
  const release = holding(second);
  const options = {
    agent: hangsFor("zoe", agentOn(server)),
    tools: [first.definition, second.definition],
    config,
  };
  const gateway = await TestGateway.start(options);
  server.script(calls("first", { n: 1 }), calls("second", { n: 2 }));
  if (moment === "interrupted") await gateway.say(zoe, "takes a place");
  const messageId = await gateway.say(ann, "go");
  const scene = { server, first, second, messageId };
  if (moment === "running") {
    await second.called(1);
    return { ...scene, gateway, goOn: async () => release() };
  }
  if (moment === "suspended") {
    await gateway.sentTo(ann, 1);
    release();
    return { ...scene, gateway, goOn: async () => void (await gateway.say(ann, "/approve")) };
  }
  await second.called(1);
  await gateway.crash();
  // Zoe's turn was first, and takes the only place: Ann's waits.
  const next = await TestGateway.start({
    ...{ ...options, home: gateway.home },
    config: { ...config, max_concurrent_sessions: 1 },
  });
  return { ...scene, gateway: next, goOn: async () => void (await next.say(zoe, "/stop")) };
}

function holding(tool: HeldTool): () => void {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { run } = tool.definition;
  tool.definition.run = async (args, call) => {
    const result = run(args, call);
    await released;
    return result;
  };
  return release;
}

function hangsFor(userId: string, agent: AgentBackend): AgentBackend {
  return {
    ...agent,
    run: (request, signal) =>
      request.principal.userId === userId ? hang(signal) : agent.run(request, signal),
  };
}

async function* hang(signal: AbortSignal): AsyncGenerator<AgentEvent> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
  yield { type: "failed", failure: { kind: "stopped", message: "stopped", notice: "Stopped." } };
}

const texts = (gateway: TestGateway) => gateway.adapter.to(ann).map(({ text }) => text);
const states = (gateway: TestGateway) =>
  gateway.read<{ state: string }>("SELECT state FROM gw_tool_calls ORDER BY seq").map(({ state }) => state);
const conversation = async (gateway: TestGateway, sessionId: string) =>
  (await gateway.store.getConversation(sessionId)).map(
    ({ role, content }) => `${role}: ${String(content ?? "")}`,
  );

/** The question, and a result for every call. */
const KEPT = {
  running: [
    "user: go",
    "assistant: ",
    "tool: did first 1",
    "assistant: ",
    expect.stringMatching(/^tool: .*unknown/),
  ],
  suspended: [
    "user: go",
    "assistant: ",
    "tool: did first 1",
    "assistant: ",
    expect.stringMatching(/^tool: .*Not run/),
  ],
  interrupted: [
    "user: go",
    "assistant: ",
    "tool: did first 1",
    "assistant: ",
    expect.stringMatching(/^tool: .*unknown/),
  ],
} as const;
const ENDED = { running: "unknown", suspended: "stopped", interrupted: "unknown" } as const;

describe.each(MOMENTS)("a turn with steps that is %s", (moment) => {
  const calledBefore = moment === "suspended" ? 0 : 1;

  it("is ended by /stop: what was done stays in the session, and nothing is repeated", async () => {
    const { gateway, server, first, second } = await sceneAt(moment);
    await gateway.say(ann, "/stop");
    const { id } = await gateway.session(ann);
    await gateway.sentTo(ann, moment === "suspended" ? 2 : 1);
    expect(texts(gateway).at(-1)).toContain("🛑 Stopped.");
    expect(await conversation(gateway, id)).toEqual(KEPT[moment]);
    expect(states(gateway)).toEqual(["done", ENDED[moment]]);
    expect(gateway.read("SELECT * FROM gw_steps")).toEqual([]);
    server.script(says("next"));
    await gateway.say(zoe, "/stop");
    expect(await gateway.ask(ann, "and now?")).toEqual(["next"]);
    expect(first.calls).toHaveLength(1);
    expect(second.calls).toHaveLength(calledBefore);
    expect(await conversation(gateway, id)).toEqual([...KEPT[moment], "user: and now?", "assistant: next"]);
  });

  it("is ended by /new: it stays in the session that it ran in", async () => {
    const { gateway, first, second } = await sceneAt(moment);
    const before = await gateway.session(ann);
    await gateway.say(ann, "/new");
    await gateway.sentTo(ann, moment === "suspended" ? 2 : 1);
    expect(texts(gateway).at(-1)).toContain("I stopped the running turn");
    expect(await conversation(gateway, before.id)).toEqual(KEPT[moment]);
    const after = await gateway.session(ann);
    expect(after.id).not.toBe(before.id);
    await gateway.say(zoe, "/stop");
    await gateway.idle();
    expect(await conversation(gateway, after.id)).toEqual([]);
    expect(first.calls).toHaveLength(1);
    expect(second.calls).toHaveLength(calledBefore);
  });

  it.each(["change", "deletion"])(
    "goes on after a %s of its message, which becomes a note",
    async (change) => {
      const { gateway, server, messageId, first, goOn } = await sceneAt(moment);
      server.script(says("done"), says("next"));
      if (change === "change") await gateway.adapter.edit(ann, messageId, "go elsewhere");
      else await gateway.adapter.remove(ann, messageId);
      await goOn();
      await gateway.idle();
      expect(texts(gateway)).toContain("done");
      const users = (n: number) =>
        server.requests[n]!.body.messages.flatMap(({ role, content }) => (role === "user" ? [content] : []));
      expect(users(2)).toEqual(["go"]);
      await gateway.ask(ann, "and now?");
      const note = change === "change" ? 'was edited and now reads "go elsewhere"' : "was deleted";
      expect(users(3)).toEqual(["go", expect.stringContaining(note)]);
      expect(first.calls).toHaveLength(1);
    },
  );

  it("goes on in its session if a reset is due, and the reset comes after it", async () => {
    const { gateway, server, goOn, first } = await sceneAt(moment, {
      session_reset: { mode: "idle", idle_minutes: 60 },
    });
    const before = await gateway.session(ann);
    server.script(says("done"), says("fresh"));
    await gateway.silentFor(ann, 7200);
    await goOn();
    await gateway.idle();
    expect(texts(gateway)).toContain("done");
    expect((await conversation(gateway, before.id)).at(-1)).toBe("assistant: done");
    await gateway.ask(ann, "hello again");
    expect((await gateway.session(ann)).id).not.toBe(before.id);
    expect(first.calls).toHaveLength(1);
  });
});
