import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";
import { type HookFiles, hookFolder, startHooks } from "./support.js";

const ann = inDm("ann");

/** Writes down all that it is told. */
const RECORDER: HookFiles = {
  events: ["gateway:*", "session:*", "agent:*"],
  code: `
    import { appendFileSync } from "node:fs";
    export function handle(event, context) {
      appendFileSync(new URL("seen.jsonl", import.meta.url), JSON.stringify({ event, context }) + "\\n");
    }`,
};

interface Seen {
  event: string;
  context: Record<string, unknown>;
}

function seenIn(dir: string, name = "recorder"): Seen[] {
  try {
    const lines = readFileSync(join(dir, name, "seen.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
    return lines.map((line) => JSON.parse(line) as Seen);
  } catch {
    return [];
  }
}

async function gatewayWith(files: Record<string, HookFiles>, settings?: Record<string, unknown>) {
  const dir = hookFolder(files);
  const started = startHooks(dir, settings);
  const gateway = await TestGateway.start({ hooks: started.hooks });
  await started.hooks.start(gateway.events);
  return { ...started, gateway, dir };
}

describe("modules", () => {
  it("receive session and turn events in order, in Hermes Agent's format", async () => {
    const { gateway, dir } = await gatewayWith({ recorder: RECORDER });
    await gateway.ask(ann, `!tool session_search {"query":"${"x".repeat(600)}"}`);
    const before = await gateway.session(ann);
    for (let i = 0; i < 5; i += 1) await gateway.ask(ann, `words ${i}`);
    await gateway.ask(ann, "/compress");
    await gateway.ask(ann, "/new");
    const seen = await until("all was told", () => {
      const all = seenIn(dir);
      return all.some(({ event }) => event === "session:reset") && all;
    });
    const of = (event: string) => seen.filter((one) => one.event === event).map(({ context }) => context);
    expect(seen.slice(0, 4).map(({ event }) => event)).toEqual([
      "session:start",
      "agent:start",
      "agent:step",
      "agent:end",
    ]);
    const person = { platform: "test", user_id: "ann" };
    expect(of("session:start")[0]).toEqual({
      ...person,
      session_id: before.id,
      session_key: gateway.keyOf(ann),
    });
    const place = { ...person, chat_id: ann.chatId, thread_id: "", chat_type: "dm", session_id: before.id };
    expect(of("agent:start")[0]).toEqual({
      ...place,
      message: expect.stringMatching(/^!tool .{494}$/),
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(of("agent:step")[0]).toMatchObject({
      ...person,
      iteration: 1,
      tool_names: ["session_search"],
      tools: [{ name: "session_search" }],
    });
    expect(of("agent:end")[0]).toMatchObject({ ...place, outcome: "answered" });
    expect(String(of("agent:end")[0]!.response).length).toBeLessThanOrEqual(500);
    expect(of("session:compress")).toEqual([
      {
        platform: "test",
        session_id: expect.any(String),
        old_session_id: before.id,
        compression_count: 1,
      },
    ]);
    expect(of("session:end")).toEqual(of("session:reset"));
    expect(of("session:reset")[0]).toMatchObject({
      ...person,
      reason: "manual",
      session_key: gateway.keyOf(ann),
    });
  });

  it("are reported once when they fail, and called again", async () => {
    const code = `
      let calls = 0;
      export default async (event) => {
        calls += 1;
        if (calls !== 3) throw new Error("no " + event);
      };`;
    const { gateway, reported, outcomes } = await gatewayWith({ sad: { events: ["agent:end"], code } });
    for (let i = 0; i < 5; i += 1) expect(await gateway.ask(ann, `hello ${i}`)).toEqual([`hello ${i}`]);
    await until("all were called", () => outcomes.length === 5);
    expect(outcomes).toEqual(["sad failed", "sad failed", "sad ok", "sad failed", "sad failed"]);
    expect(reported).toEqual(["sad agent:end: Error: no agent:end", "sad agent:end: Error: no agent:end"]);
  });

  it.each([
    ["doesn't load", "import './nowhere.mjs'; export const handle = 1;", /Cannot find module/],
    ["exports nothing", "export const x = 1;", /must export a function/],
    ["ends its thread", "export const handle = () => process.exit(3);", /ended its thread/],
    [
      "dies later",
      "export const handle = () => new Promise(() => { setTimeout(() => { throw new Error('late') }, 5) });",
      /late/,
    ],
    [
      "eats memory",
      "export const handle = () => { const all = []; for (;;) all.push(new Array(1e5).fill(1)) };",
      /memory/,
    ],
  ])("that %s can't stop a message", async (_, code, reason) => {
    const { gateway, reported } = await gatewayWith({ bad: { events: ["agent:*"], code } });
    expect(await gateway.ask(ann, "hello")).toEqual(["hello"]);
    await until("it is reported", () => reported.length > 0);
    expect(reported[0]).toMatch(reason);
    expect(await gateway.ask(ann, "again")).toEqual(["again"]);
  });

  it("are terminated in a busy loop and disabled after three timeouts; others continue", async () => {
    const busy = { events: ["agent:start"], code: "export function handle() { for (;;); }" };
    const { gateway, reported, dir } = await gatewayWith({ busy, recorder: RECORDER }, { timeout: 0.5 });
    for (let i = 0; i < 4; i += 1) expect(await gateway.ask(ann, `hello ${i}`)).toEqual([`hello ${i}`]);
    await until("it is left out", () => reported.length === 2, { found: () => reported });
    expect(reported).toEqual([
      "busy agent:start: took longer than 0.5 s",
      "busy is out: 3 timeouts in a row",
    ]);
    const told = () => seenIn(dir).filter(({ event }) => event === "agent:end");
    await until("the other one was told", () => told().length === 4);
  });

  it("print to the log", async () => {
    const code = "export const handle = (event) => console.log('saw ' + event);";
    const { gateway, printed } = await gatewayWith({ chatty: { events: ["agent:end"], code } });
    await gateway.ask(ann, "hello");
    await until("it was heard", () => printed.length > 0);
    expect(printed).toEqual(["chatty: saw agent:end"]);
  });
});

describe("commands", () => {
  const deciding = (events: string[], answer: object | string): HookFiles => ({
    events,
    code: `export const handle = (event, context) => (${
      typeof answer === "string" ? answer : JSON.stringify(answer)
    });`,
  });

  it("can be denied, handled or rewritten; exact hooks decide first", async () => {
    const { gateway } = await gatewayWith({
      a: deciding(["command:*"], { decision: "deny", message: "nothing goes" }),
      b: deciding(["command:status"], { decision: "handled", message: "all is well" }),
      c: deciding(["command:title"], '{ decision: "rewrite", command_name: "help" }'),
      d: deciding(["command:whoami"], { decision: "allow" }),
    });
    expect(await gateway.ask(ann, "/status")).toEqual(["all is well"]);
    expect((await gateway.ask(ann, "/title x"))[0]).toContain("/status");
    expect(await gateway.ask(ann, "/whoami")).toEqual(["nothing goes"]);
  });

  it("can be added by a hook, with arguments", async () => {
    const echo =
      '{ decision: "handled", message: [event, context.args, context.raw_command, context.user_id].join("|") }';
    const { gateway } = await gatewayWith({ own: deciding(["command:deploy"], echo) });
    expect(await gateway.ask(ann, "/deploy  staging now")).toEqual(["command:deploy|staging now|deploy|ann"]);
    expect((await gateway.ask(ann, "/depoy"))[0]).toContain("/depoy");
    const said = await gateway.say(ann, "/deploy again");
    await gateway.idle();
    expect(gateway.inbox(said)).toMatchObject({ state: "done", reason: "/deploy" });
  });

  it("run if their hook fails or times out, and later messages wait", async () => {
    const { gateway, reported } = await gatewayWith(
      {
        bad: { events: ["command:new"], code: "export const handle = () => { throw new Error('no') };" },
        slow: { events: ["command:new"], code: "export const handle = () => new Promise(() => {});" },
      },
      { timeout: 1 },
    );
    await gateway.ask(ann, "hello");
    const before = (await gateway.session(ann)).id;
    await gateway.say(ann, "/new");
    await gateway.say(ann, "in the new one");
    await gateway.idle();
    const after = await gateway.session(ann);
    expect(after.id).not.toBe(before);
    expect(after.message_count).toBe(2);
    expect(reported).toEqual(["bad command:new: Error: no", "slow command:new: took longer than 1 s"]);
  });

  it("are checked for permission before the hook and after a rewrite", async () => {
    const dir = hookFolder({
      h: deciding(["command:whoami"], { decision: "rewrite", command_name: "background", raw_args: "x" }),
      i: deciding(["command:background"], { decision: "handled", message: "did it" }),
    });
    const { hooks } = startHooks(dir);
    const platform = { allow_admin_from: ["owner"], user_allowed_commands: ["whoami"] };
    const gateway = await TestGateway.start({ hooks, platform });
    const denied = await gateway.ask(ann, "/background x");
    expect(denied[0]).not.toContain("did it");
    expect(await gateway.ask(ann, "/whoami")).toEqual(denied);
  });

  it("added by a hook are checked for permission too", async () => {
    const dir = hookFolder({
      own: deciding(["command:deploy"], { decision: "handled", message: "deployed" }),
    });
    const { hooks } = startHooks(dir);
    const platform = { allow_admin_from: ["owner"], user_allowed_commands: ["whoami"] };
    const gateway = await TestGateway.start({ hooks, platform });
    expect((await gateway.ask(ann, "/deploy"))[0]).toContain("/deploy is admin-only here");
    expect(await gateway.ask(inDm("owner"), "/deploy")).toEqual(["deployed"]);
    const more = { ...platform, user_allowed_commands: ["/deploy"] };
    const open = await gateway.restart({ hooks, platform: more });
    expect(await open.ask(ann, "/deploy")).toEqual(["deployed"]);
  });
});
