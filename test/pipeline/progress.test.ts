import { describe, expect, it, vi } from "vitest";
import type { AgentEvent } from "../../src/agents/backend.js";
import { configSchema } from "../../src/config/schema.js";
import { Progress, type ToolProgress } from "../../src/pipeline/progress.js";
import { readCalls, storedCall } from "../../src/tool-calls.js";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { Editing } from "../support/editing-adapter.js";
import { TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { ScriptedAgent, type ScriptedStep } from "../support/scripted-agent.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

let calls = 0;

function called(name: string, args = "{}"): AgentEvent[] {
  const id = `call-${calls++}`;
  const message = {
    role: "assistant",
    content: null,
    tool_calls: [storedCall({ id, name, arguments: args })],
  };
  return [
    { type: "message", message },
    { type: "message", message: { role: "tool", content: "ok", tool_call_id: id } },
  ];
}

function progress(tools: ToolProgress, events: readonly AgentEvent[], longRunningMs = 0): Progress {
  const made = new Progress({ tools, longRunningMs, changed: () => undefined });
  for (const event of events) take(made, event);
  made.end();
  return made;
}

function take(made: Progress, event: AgentEvent): void {
  made.take(event, event.type === "message" ? readCalls(event.message) : []);
}

const SEARCHES = [
  ...called("web_search", '{"query":"`a`\\n b"}'),
  ...called("web_search"),
  ...called("todo"),
];

describe("the status of a turn", () => {
  it("lists calls as configured", () => {
    expect(progress("off", SEARCHES).text()).toBe("");
    expect(progress("new", SEARCHES).text()).toBe("🔧 `web_search` ×2\n🔧 `todo`");
    expect(progress("all", SEARCHES).text()).toBe("🔧 `web_search`\n🔧 `web_search`\n🔧 `todo`");
    expect(progress("verbose", SEARCHES).text()).toContain('🔧 `web_search` `{"query":" a \\n b"}`\n');
  });

  it("shows that a call runs, and disappears with the next words", () => {
    const [call] = called("web_search");
    const running = progress("new", [call!]);
    expect(running.text()).toBe("🔧 `web_search`\n…");
    running.take({ type: "text", delta: "Found" });
    expect(running.text()).not.toContain("web_search`\n");
  });

  it("is bounded", () => {
    const many = Array.from({ length: 100 }, (_, i) =>
      called(`tool_${i}`, `{"x":"${"y".repeat(500)}"}`),
    ).flat();
    const text = progress("verbose", many).text();
    expect(text.split("\n")).toHaveLength(8);
    expect(text.length).toBeLessThan(1200);
  });

  it("shows after a while without text that the turn is still running, and with which tool", () => {
    const [call] = called("web_search");
    const slow = progress("off", [call!], 60_000);
    expect(slow.text(performance.now() + 30_000)).toBe("");
    expect(slow.text(performance.now() + 65_000)).toBe("⏳ still working · 65 s · `web_search`");
    expect(slow.text(performance.now() + 600_000)).toBe("⏳ still working · 10 min · `web_search`");
  });

  it("accepts what YAML makes of a bare off", () => {
    const parsed = configSchema.parse({
      display: { tool_progress: false, platforms: { test: { tool_progress: "false" } } },
    });
    expect(parsed.display.tool_progress).toBe("off");
    expect(parsed.display.platforms.test!.tool_progress).toBe("off");
  });
});

const ann = inDm("ann");

function slow(run: () => Promise<string>): ToolDefinition {
  const about = { toolset: "own", description: "slow", parameters: {} };
  return { name: "slow", ...about, effect: "read", repeat: "safe", run };
}

async function start(script: readonly ScriptedStep[], options: TestGatewayOptions = {}) {
  const editing = new Editing();
  const gateway = await TestGateway.start({
    agent: new ScriptedAgent(script),
    parts: ({ adapters }) => ({ adapters: adapters.map((adapter) => editing.on(adapter)) }),
    ...options,
  });
  return { gateway, editing };
}

/** A tool that waits until it may go on. */
function held() {
  let release: (result: string) => void = () => undefined;
  const result = new Promise<string>((resolve) => {
    release = resolve;
  });
  return { tool: slow(() => result), release: () => release("ok") };
}

describe("a chat whose messages can be edited", () => {
  it("shows the running tool in the message that becomes the answer", async () => {
    const { tool, release } = held();
    const { gateway, editing } = await start([{ call: "slow" }, { say: ["done"] }], { tools: [tool] });
    await gateway.say(ann, "go");
    await until("the tool is shown", () => editing.shown.some((text) => text.includes("🔧 `slow`")));
    release();
    await gateway.idle();
    expect(gateway.adapter.to(ann).map(({ text }) => text)).toEqual(["done"]);
    expect(editing.left).toEqual([]);
  });

  it("shows that the turn is still running even if tools are off there", async () => {
    const { tool, release } = held();
    const display = { long_running_seconds: 0.2, platforms: { test: { tool_progress: "off" } } };
    const { gateway, editing } = await start([{ call: "slow" }, { say: ["done"] }], {
      tools: [tool],
      config: { display },
    });
    await gateway.say(ann, "go");
    await until("it goes on", () => editing.shown.some((text) => text.includes("still working")));
    expect(editing.shown.join("\n")).not.toContain("🔧");
    release();
    await gateway.idle();
  });

  it("deletes the status if the turn is stopped before it has words", async () => {
    const { tool } = held();
    const { gateway, editing } = await start([{ call: "slow" }, { say: ["done"] }], { tools: [tool] });
    await gateway.say(ann, "go");
    await until("the tool is shown", () => editing.shown.length > 0);
    await gateway.ask(ann, "/stop");
    await until("it is deleted", () => editing.left.length > 0);
    expect(editing.left).toMatchObject([{ text: "" }]);
  });
});

describe("reactions", () => {
  const reactions = { config: { display: { reactions: true } } };

  it("are off by default", async () => {
    const { gateway, editing } = await start([{ say: ["hi"] }]);
    await gateway.ask(ann, "hello");
    expect(editing.reactions).toEqual([]);
  });

  it("show that a message is being processed and its outcome, in order", async () => {
    const { gateway, editing } = await start([{ say: ["hi"] }], reactions);
    await gateway.ask(ann, "hello");
    await until("it is done", () => editing.reactions.length === 2);
    expect(editing.reactions).toEqual(["working", "done"]);
  });

  it("never delay a turn, and may fail", async () => {
    const { gateway, editing } = await start([{ say: ["hi"] }], reactions);
    const react = vi.fn(() => new Promise<void>(() => undefined));
    editing.beforeReact = react;
    expect(await gateway.ask(ann, "hello")).toEqual(["hi"]);
    editing.beforeReact = () => Promise.reject(new Error("no right"));
    expect(await gateway.ask(inDm("ben"), "hello")).toEqual(["hi"]);
    expect(react).toHaveBeenCalled();
  });

  it("are removed with a stopped turn, and tell a failed one", async () => {
    const { tool } = held();
    const { gateway, editing } = await start([{ call: "slow" }], { tools: [tool], ...reactions });
    await gateway.say(ann, "go");
    await until("it works", () => editing.reactions.length === 1);
    await gateway.ask(ann, "/stop");
    await until("it is removed", () => editing.reactions.length === 2);
    expect(editing.reactions).toEqual(["working", null]);
    const failing = await start([{ wait: () => Promise.reject(new Error("broken")) }], reactions);
    await failing.gateway.ask(ann, "go");
    await until("it failed", () => failing.editing.reactions.length === 2);
    expect(failing.editing.reactions).toEqual(["working", "failed"]);
  });
});
