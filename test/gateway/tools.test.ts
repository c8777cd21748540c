import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SPILL_FOLDER } from "../../src/config/paths.js";
import type { ToolCall, ToolDefinition } from "../../src/tools/tool.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";

const ann = inDm("ann");
const olga = inDm("olga");

function tool(given: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    ...{ name: "act", toolset: "own", description: "acts", parameters: {}, effect: "write", repeat: "never" },
    run: async () => "done",
    ...given,
  };
}

const start = (tools: readonly ToolDefinition[], config = {}) =>
  TestGateway.start({ tools, config: { owners: ["test:olga"], ...config } });

describe("tools of an embedding program", () => {
  it("follow the same rules as the built-in ones", async () => {
    const gateway = await start([tool()]);
    expect(await gateway.ask(olga, "!tool act")).toEqual(["done"]);
    const [refused] = await gateway.ask(ann, "!tool act");
    expect(refused).toContain('there is no tool "act"');
    const open = await start([tool()], { tools: { own: { allow: ["paired"], rooms: "dm" } } });
    expect(await open.ask(ann, "!tool act")).toEqual(["done"]);
    expect((await open.ask(inGroup("ann", "g"), "!tool act"))[0]).toContain('there is no tool "act"');
  });

  it("get the facts of their call", async () => {
    const calls: ToolCall[] = [];
    const noted = tool({
      run: async (_, call) => {
        calls.push(call);
        return "noted";
      },
    });
    const gateway = await start([noted], {
      tools: { act: { allow: ["paired"] } },
      group_sessions_per_user: false,
    });
    await gateway.ask(ann, "!tool act");
    await gateway.ask(inGroup("ann", "g"), "!tool act");
    expect(calls).toMatchObject([
      { principal: { userId: "ann" }, room: undefined, shared: false, unattended: false },
      { principal: { userId: "ann" }, room: { chatId: "g" }, shared: true, target: { chatId: "g" } },
    ]);
    expect(calls[0]!.idempotencyKey).not.toBe(calls[1]!.idempotencyKey);
  });

  it("are rejected if their names are taken", async () => {
    await expect(start([tool({ name: "memory" })])).rejects.toThrow('Two tools are named "memory".');
  });

  it("fail if they take too long, and the turn continues", async () => {
    const slow = tool({ timeoutMs: 30, run: () => new Promise(() => undefined) });
    const gateway = await start([slow]);
    expect(await gateway.ask(olga, "!tool act")).toEqual(["Error: act gave no result within 0.03 s"]);
  });

  it("have long results stored in a file", async () => {
    const gateway = await start([tool({ maxChars: 500, run: async () => `${"x".repeat(2000)} the end` })]);
    const [answer] = await gateway.ask(olga, "!tool act");
    expect(answer!.length).toBeLessThanOrEqual(500);
    expect(answer).toContain("the end");
    const [name] = fs.readdirSync(path.join(gateway.home, SPILL_FOLDER));
    expect(answer).toContain(name);
    const file = path.join(gateway.home, SPILL_FOLDER, name!);
    const old = Date.now() / 1000 - 25 * 3600;
    fs.utimesSync(file, old, old);
    await gateway.sweep();
    expect(fs.existsSync(file)).toBe(false);
  });
});

it("unknown names in the configuration are logged at startup", async () => {
  const gateway = await start([], { tools: { terminal: { allow: ["owner"] } } });
  expect(gateway.warnings).toContainEqual(
    expect.objectContaining({ fields: { problem: "tools.terminal matches no tool or toolset" } }),
  );
});
