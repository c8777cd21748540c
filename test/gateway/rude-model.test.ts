import { describe, expect, it } from "vitest";
import { agentOn, startServer } from "../agents/support.js";
import { calls, says } from "../emulators/model-server.js";
import { TestGateway } from "../support/gateway.js";
import { HeldTool } from "../support/held-tool.js";
import { inDm } from "../support/test-adapter.js";

const ann = inDm("ann");

async function scene() {
  const server = await startServer();
  const act = new HeldTool();
  const gateway = await TestGateway.start({
    agent: agentOn(server, {}, { maxSteps: 30 }),
    tools: [act.definition],
  });
  const results = () =>
    server.requests
      .at(-1)!
      .body.messages.filter(({ role }) => role === "tool")
      .map(({ content }) => String(content));
  return { server, act, gateway, results };
}

describe("a model that misbehaves", () => {
  it("is warned and then stopped if it repeats the same tool call, and still answers", async () => {
    const { server, act, gateway, results } = await scene();
    for (let n = 0; n < 8; n += 1) server.script(calls("act", { n: 1 }));
    server.script(says("sorry"));
    expect(await gateway.ask(ann, "go")).toEqual(["sorry"]);
    expect(act.calls).toHaveLength(5);
    expect(results()[1]).toBe("did act 1");
    expect(results()[2]).toContain("3 times with the same arguments");
    for (const refused of results().slice(5)) expect(refused).toContain("the tools are off");
  });

  it("is stopped if it alternates between the same calls, even across a crash", async () => {
    const server = await startServer();
    const act = new HeldTool({ repeat: "safe" });
    const options = { agent: agentOn(server, {}, { maxSteps: 30 }), tools: [act.definition] };
    const gateway = await TestGateway.start(options);
    for (let n = 0; n < 7; n += 1) server.script(calls("act", {}));
    server.script(says("sorry"));
    const { run } = act.definition;
    let isCut = false;
    act.definition.run = (args, call) => {
      act.isHeld = act.calls.length === 2 && !isCut;
      return run(args, call);
    };
    await gateway.say(ann, "go");
    await act.called(3);
    isCut = true;
    await gateway.crash();
    const next = await TestGateway.start({ ...options, home: gateway.home });
    await next.idle();
    expect(next.adapter.to(ann).map(({ text }) => text)).toEqual(["sorry"]);
    // Five calls, and the repeat of the one that was cut off.
    expect(act.calls).toHaveLength(6);
  });

  it("gets a result for each of hundreds of parallel calls", async () => {
    const { server, act, gateway, results } = await scene();
    const many = Array.from({ length: 300 }, (_, n) => ({ name: "act", arguments: { n }, id: "same" }));
    server.script({ calls: many }, says("done"));
    expect(await gateway.ask(ann, "go")).toEqual(["done"]);
    expect(act.calls).toHaveLength(300);
    expect(new Set(act.keys).size).toBe(300);
    expect(results()).toHaveLength(300);
  });

  it("gets an error for very long arguments, and the record stays small", async () => {
    const { server, act, gateway, results } = await scene();
    server.script(calls("act", { words: "x".repeat(250_000) }), says("sorry"));
    expect(await gateway.ask(ann, "go")).toEqual(["sorry"]);
    expect(act.calls.length).toBe(0);
    expect(results()[0]).toContain("Error: the arguments are not a JSON object");
    const [row] = gateway.read<{ chars: number }>("SELECT length(arguments) AS chars FROM gw_tool_calls");
    expect(row!.chars).toBeLessThan(2500);
  });

  it("is cut off if its arguments never end", async () => {
    const { server, act, gateway } = await scene();
    server.script(calls("act", { words: "x".repeat(3_000_000) }));
    expect((await gateway.ask(ann, "go"))[0]).toContain("no usable answer");
    expect(act.calls.length).toBe(0);
  });

  it.each([
    ["names a tool that doesn't exist", calls("rm_rf", {}), 'there is no tool "rm_rf"'],
    ["sends invalid JSON", calls("act", '{"n": 1'), "the arguments are not a JSON object"],
    ["sends a list", calls("act", "[1]"), "the arguments are not a JSON object"],
  ])("gets an error that it can act on if it %s", async (_, scripted, error) => {
    const { server, act, gateway, results } = await scene();
    server.script(scripted, says("sorry"));
    expect(await gateway.ask(ann, "go")).toEqual(["sorry"]);
    expect(results()[0]).toContain(error);
    expect(act.calls.length).toBe(0);
    expect(gateway.read("SELECT state FROM gw_tool_calls")).toEqual([{ state: "failed" }]);
  });

  it("gets a unique id for each call if it repeats call ids", async () => {
    const { server, act, gateway } = await scene();
    server.script(calls("act", { n: 1 }, "x"), calls("act", { n: 2 }, "x"), says("done"));
    expect(await gateway.ask(ann, "go")).toEqual(["done"]);
    expect(act.calls.map(({ args }) => args.n)).toEqual([1, 2]);
    const ids = server.requests.at(-1)!.body.messages.flatMap(({ tool_call_id: id }) => id ?? []);
    expect(new Set(ids).size).toBe(2);
    expect(gateway.read("SELECT result FROM gw_tool_calls ORDER BY seq")).toEqual([
      { result: "did act 1" },
      { result: "did act 2" },
    ]);
  });
});
