import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AgentBackend } from "../../src/agents/backend.js";
import { unlessAborted } from "../../src/timeout.js";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { agentOn, startServer } from "../agents/support.js";
import { type ChatBody, calls, type ModelServer, says, tooLong } from "../emulators/model-server.js";
import { TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { HeldTool } from "../support/held-tool.js";
import { inDm, inGroup } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const ben = inDm("ben");

/** A gateway on a scripted model, and the next ones on the same home after crashes. */
async function scene(tools: HeldTool[], config: TestGatewayOptions["config"] = {}) {
  const server = await startServer();
  const options = {
    agent: agentOn(server),
    tools: tools.map(({ definition }) => definition),
    config,
  };
  let gateway = await TestGateway.start(options);
  return {
    server,
    get gateway() {
      return gateway;
    },
    async crash(more: TestGatewayOptions = {}) {
      await gateway.crash();
      gateway = await TestGateway.start({ ...options, ...more, home: gateway.home });
      return gateway;
    },
  };
}

const asked = (server: ModelServer, n: number) => server.requests[n]!.body.messages;
const results = (messages: ChatBody["messages"]) =>
  messages.filter(({ role }) => role === "tool").map(({ content }) => content);
const texts = (gateway: TestGateway, person = ann) => gateway.adapter.to(person).map(({ text }) => text);
const states = (gateway: TestGateway) =>
  gateway.read<{ state: string }>("SELECT state FROM gw_tool_calls ORDER BY seq").map(({ state }) => state);
const steps = (gateway: TestGateway) =>
  gateway
    .read<{ message: string }>("SELECT message FROM gw_steps ORDER BY position")
    .map(({ message }) => (JSON.parse(message) as { role: string }).role);

const both = (first: string, second: string) => ({
  calls: [
    { name: first, arguments: { n: 1 } },
    { name: second, arguments: { n: 2 } },
  ],
});

/** Runs its calls without a message about them, under other ids in each attempt. */
function unannounced(names: readonly string[]): AgentBackend {
  return {
    ...{ name: "own", model: "own-1", contextLength: 1000 },
    async *run({ tools }, signal) {
      const results: string[] = [];
      for (const [n, name] of names.entries()) {
        const tool = tools.find((tool) => tool.name === name)!;
        results.push(await unlessAborted(tool.run({ n }, signal, randomUUID()), signal));
      }
      yield { type: "message", message: { role: "assistant", content: results.join(", ") } };
      yield { type: "text", delta: results.join(", ") };
      yield { type: "done" };
    },
  };
}

describe("a turn with tools", () => {
  it("records the model's message before its calls, and each result before the next step", async () => {
    const [one, two] = [new HeldTool({ name: "one" }), new HeldTool({ name: "two" })];
    const { gateway, server } = await scene([one, two]);
    two.isHeld = true;
    server.script(both("one", "two"));
    await gateway.say(ann, "go");
    await two.called(1);
    expect(steps(gateway)).toEqual(["assistant", "tool"]);
    expect(states(gateway)).toEqual(["done", "running"]);
  });

  it("leaves no journal behind, and records who called what", async () => {
    const act = new HeldTool();
    const { gateway, server } = await scene([act]);
    server.script(calls("act", { n: 1 }), says("done"));
    expect(await gateway.ask(ann, "go")).toEqual(["done"]);
    expect(steps(gateway)).toEqual([]);
    expect(gateway.read("SELECT tool, user_id, state, result, arguments FROM gw_tool_calls")).toEqual([
      { tool: "act", user_id: "ann", state: "done", result: "did act 1", arguments: '{"n":1}' },
    ]);
  });
});

describe("after a crash", () => {
  it("a backend that announces no calls restarts its turn and gets the recorded results", async () => {
    const [one, two] = [new HeldTool({ name: "one" }), new HeldTool({ name: "two" })];
    two.isHeld = true;
    const agent = unannounced(["one", "two", "one"]);
    const first = await TestGateway.start({ agent, tools: [one.definition, two.definition] });
    await first.say(ann, "go");
    await two.called(1);
    await first.crash();
    two.isHeld = false;
    const options = { agent, tools: [one.definition, two.definition], home: first.home };
    const gateway = await TestGateway.start(options);
    await until("it is answered", () => texts(gateway).length > 0);
    const [answer] = texts(gateway);
    expect(answer).toMatch(/^did one 0, Error: .* its outcome is unknown.*, did one 2$/);
    expect([one.calls.length, two.calls.length]).toEqual([2, 1]);
    expect(states(gateway)).toEqual(["done", "unknown", "done"]);
    expect(steps(gateway)).toEqual([]);
  });

  it("a turn resumes after its last step: no completed step is repeated or paid again", async () => {
    const [one, two] = [new HeldTool({ name: "one" }), new HeldTool({ name: "two", repeat: "safe" })];
    const world = await scene([one, two]);
    const { server } = world;
    server.script(calls("one", { n: 1 }), calls("two", { n: 2 }), says("all done"));
    two.isHeld = true;
    await world.gateway.say(ann, "go");
    await two.called(1);
    two.isHeld = false;
    const next = await world.crash();
    await next.idle();
    expect(texts(next)).toEqual(["all done"]);
    expect(one.calls).toHaveLength(1);
    expect(two.keys[0]).toBe(two.keys[1]);
    expect(two.calls).toHaveLength(2);
    expect(server.requests).toHaveLength(3);
    expect(results(asked(server, 2))).toEqual(["did one 1", "did two 2"]);
    const session = await next.session(ann);
    expect(session).toMatchObject({ tool_call_count: 2, api_call_count: 3 });
    expect((await next.store.getConversation(session.id)).map(({ role }) => role)).toEqual([
      ...["user", "assistant", "tool", "assistant", "tool", "assistant"],
    ]);
  });

  it("a call that isn't repeatable is not repeated: its result says that the outcome is unknown", async () => {
    const act = new HeldTool();
    const world = await scene([act]);
    world.server.script(calls("act", { n: 1 }), says("I don't know whether it worked"));
    act.isHeld = true;
    await world.gateway.say(ann, "go");
    await act.called(1);
    act.isHeld = false;
    const next = await world.crash();
    await next.idle();
    expect(act.calls).toHaveLength(1);
    expect(results(asked(world.server, 1))).toEqual([expect.stringContaining("its outcome is unknown")]);
    expect(states(next)).toEqual(["unknown"]);
    expect(texts(next)).toEqual(["I don't know whether it worked"]);
  });

  it("the other calls of the same message run, each once", async () => {
    const [one, two, three] = ["one", "two", "three"].map((name) => new HeldTool({ name }));
    const world = await scene([one!, two!, three!]);
    const { calls: pair } = both("one", "two");
    world.server.script({ calls: [...pair, { name: "three", arguments: {} }] }, says("done"));
    two!.isHeld = true;
    await world.gateway.say(ann, "go");
    await two!.called(1);
    two!.isHeld = false;
    const next = await world.crash();
    await next.idle();
    expect([one, two, three].map((tool) => tool!.calls.length)).toEqual([1, 1, 1]);
    expect(states(next)).toEqual(["done", "unknown", "done"]);
    expect(world.server.requests).toHaveLength(2);
  });

  it("a model request that wasn't answered is made again, with the same steps", async () => {
    const act = new HeldTool();
    const world = await scene([act]);
    const { server } = world;
    server.script(calls("act", { n: 1 }), { text: ["never"], stallAfter: 0 });
    await world.gateway.say(ann, "go");
    await server.received(2);
    server.script(says("done"));
    const next = await world.crash();
    await next.idle();
    expect(act.calls).toHaveLength(1);
    expect(asked(server, 2)).toEqual(asked(server, 1));
    expect(texts(next)).toEqual(["done"]);
  });

  it("completed steps reset the attempt count", async () => {
    const act = new HeldTool({ repeat: "safe" });
    const world = await scene([act]);
    const crashes = 5;
    for (let n = 1; n <= crashes; n += 1) world.server.script(calls("act", { n }));
    world.server.script(says("done"));
    // The first call of each step never ends, its repeat does.
    const seen = new Set<unknown>();
    const { run } = act.definition;
    act.definition.run = (args, call) => {
      act.isHeld = !seen.has(args.n);
      seen.add(args.n);
      return run(args, call);
    };
    await world.gateway.say(ann, "go");
    for (let n = 1; n <= crashes; n += 1) {
      await until(`step ${n} has begun`, () => seen.has(n));
      await world.crash();
    }
    await world.gateway.idle();
    expect(texts(world.gateway)).toEqual(["done"]);
    expect(world.server.requests).toHaveLength(crashes + 1);
  });

  it("three attempts without a step end the turn, and what it did stays in the session", async () => {
    const act = new HeldTool({ repeat: "safe" });
    const world = await scene([act]);
    world.server.script(calls("act", { n: 1 }));
    act.isHeld = true;
    await world.gateway.say(ann, "go");
    for (let n = 1; n <= 3; n += 1) {
      await act.called(n);
      await world.crash();
    }
    await act.called(4);
    const last = await world.crash();
    await until("it is given up", () => texts(last).length > 0);
    expect(texts(last)).toEqual([expect.stringContaining("was not answered")]);
    const conversation = await last.store.getConversation((await last.session(ann)).id);
    expect(conversation.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(conversation.at(-1)?.content).toContain("outcome is unknown");
    expect(states(last)).toEqual(["unknown"]);
    expect(act.calls).toHaveLength(4);
  });

  it("a message that waited to be added to the turn gets its own turn, once", async () => {
    const act = new HeldTool({ repeat: "safe" });
    const world = await scene([act], { display: { busy_input_mode: "steer" } });
    act.isHeld = true;
    world.server.script(calls("act", { n: 1 }), says("first answer"), says("second answer"));
    await world.gateway.say(ann, "first");
    await act.called(1);
    await world.gateway.say(ann, "and this");
    act.isHeld = false;
    const next = await world.crash();
    await next.idle();
    expect(texts(next)).toEqual(["first answer", "second answer"]);
    const users = asked(world.server, 2).filter(({ role }) => role === "user");
    expect(users.map(({ content }) => content)).toEqual(["first", "and this"]);
  });

  it("a message that was added before the crash stays part of its turn, also if others wrote between", async () => {
    const act = new HeldTool({ repeat: "safe" });
    const world = await scene([act], {
      display: { busy_input_mode: "steer" },
      group_sessions_per_user: false,
    });
    const { server } = world;
    const [annInGroup, benInGroup] = [inGroup("ann", "g"), inGroup("ben", "g")];
    const slow = calls("act", { n: 1 });
    server.script({ ...slow }, calls("act", { n: 2 }), says("for Ann"), says("for Ben"));
    let isReady = false;
    act.definition.run = async (args, call) => {
      act.calls.push({ args, call });
      if (args.n === 1) await until("the others have written", () => isReady);
      if (args.n === 2 && act.isHeld) await new Promise(() => undefined);
      return `did ${String(args.n)}`;
    };
    act.isHeld = true;
    await world.gateway.say(annInGroup, "first");
    await act.called(1);
    await world.gateway.say(benInGroup, "Ben's own");
    await world.gateway.say(annInGroup, "and this");
    isReady = true;
    await act.called(2);
    act.isHeld = false;
    await world.crash();
    await world.gateway.idle();
    expect(texts(world.gateway, annInGroup)).toEqual(["for Ann", "for Ben"]);
    const users = (n: number) =>
      asked(server, n).flatMap(({ role, content }) => (role === "user" ? [content] : []));
    expect(users(2)).toEqual(["[ann] first", "[ann] and this"]);
    expect(users(3)).toEqual(["[ann] first", "[ann] and this", "[ben] Ben's own"]);
    expect(act.calls.map(({ args }) => args.n)).toEqual([1, 2, 2]);
  });

  it("a stop of the gateway in the middle of a call counts as a crash of the call, but not as an attempt", async () => {
    const act = new HeldTool();
    const server = await startServer();
    const options = { agent: agentOn(server), tools: [act.definition] };
    const first = await TestGateway.start(options);
    server.script(calls("act", {}), says("done"));
    act.isHeld = true;
    const id = await first.say(ann, "go");
    await act.called(1);
    await first.stop();
    expect(first.inbox(id)).toMatchObject({ state: "waiting", attempts: 0 });
    const next = await first.restart(options);
    await next.idle();
    expect(texts(next)).toEqual(["done"]);
    expect(states(next)).toEqual(["unknown"]);
  });
});

describe("in one turn", () => {
  it("a conversation that is too long is shortened without running tools again", async () => {
    const act = new HeldTool();
    const { gateway, server } = await scene([act], {
      compression: { protect_first_n: 0, protect_last_n: 2 },
    });
    for (let n = 1; n <= 4; n += 1) await gateway.ask(ann, `message ${n}`);
    const before = server.requests.length;
    server.script(calls("act", { n: 1 }), tooLong(), says("done"));
    expect(await gateway.ask(ann, "go")).toEqual(["done"]);
    expect(act.calls).toHaveLength(1);
    expect(server.requests).toHaveLength(before + 3);
    expect(results(asked(server, before + 2))).toEqual(["did act 1"]);
  });

  it("every call has a unique idempotency key, even if the backend repeats call ids", async () => {
    const act = new HeldTool();
    const agent = {
      ...{ name: "own", model: "own", contextLength: 1000 },
      async *run({ tools }: { tools: readonly Parameters<typeof pick>[0][number][] }, signal: AbortSignal) {
        for (const n of [1, 2]) await pick(tools).run({ n }, signal, `call_${n}`);
        yield { type: "message" as const, message: { role: "assistant", content: "done" } };
        yield { type: "done" as const };
      },
    };
    const gateway = await TestGateway.start({ agent, tools: [act.definition] });
    expect(await gateway.ask(ben, "go")).toEqual(["done"]);
    expect(new Set(act.keys).size).toBe(2);
  });
});

function pick(tools: readonly { name: string; run: ToolRun }[]) {
  return tools.find(({ name }) => name === "act")!;
}
type ToolRun = (
  args: Record<string, unknown>,
  signal: AbortSignal,
  callId: string,
) => ReturnType<ToolDefinition["run"]>;
