import { describe, expect, it } from "vitest";
import { ToolRegistry, type ToolSettings } from "../../src/tools/registry.js";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { Toolsets } from "../../src/tools/toolsets.js";
import { PERSON } from "../support/tool-call.js";

function tool(name: string, given: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    ...{ name, toolset: "set", description: name, parameters: {}, effect: "read", repeat: "safe" },
    run: async () => name,
    ...given,
  };
}

const SETTINGS: ToolSettings = { rules: {}, toolsets: {}, platformToolsets: {}, disabled: [] };
const registry = (tools: readonly ToolDefinition[], settings: Partial<ToolSettings> = {}) =>
  new ToolRegistry({ ...SETTINGS, ...settings }, tools);
const place = { principal: PERSON, room: undefined, platform: "test" };
const names = async (found: ToolRegistry, platform = "test") =>
  (await found.offered({ ...place, platform })).map(({ tool }) => tool.name);

describe("a registry", () => {
  it("offers tools in the same order, whatever came first", async () => {
    const [a, b, c] = [tool("a"), tool("b"), tool("c")];
    const late = registry([c]);
    late.register(a, b);
    expect(await names(registry([b, c, a]))).toEqual(["a", "b", "c"]);
    expect(await names(late)).toEqual(["a", "b", "c"]);
  });

  it("rejects a name that is in use, and registers nothing then", async () => {
    const found = registry([tool("a")]);
    expect(() => found.register(tool("b"), tool("a", { toolset: "other" }))).toThrow(
      'Two tools are named "a".',
    );
    expect(() => registry([tool("c"), tool("c")])).toThrow("Two tools");
    expect(await names(found)).toEqual(["a"]);
  });

  it("rejects names that models don't accept", () => {
    for (const name of ["", "a b", "ü", "x".repeat(65)])
      expect(() => registry([tool(name)])).toThrow("valid tool name");
  });

  it("offers only available tools", async () => {
    const found = registry([
      tool("ready", { unavailable: () => undefined }),
      tool("unset", { unavailable: () => "set a key" }),
      tool("later", { unavailable: async () => "not yet" }),
      tool("broken", {
        unavailable: () => {
          throw new Error("no network");
        },
      }),
      tool("silent", { unavailable: () => new Promise(() => undefined) }),
    ]);
    expect(await names(found)).toEqual(["ready"]);
    const reasons = (await found.explained(place)).map(({ tool, reason }) => [tool.name, reason]);
    expect(Object.fromEntries(reasons)).toMatchObject({
      broken: "its check failed: no network",
      later: "not yet",
      silent: expect.stringContaining("No result within"),
      unset: "set a key",
    });
  });

  it("doesn't ask for the availability of tools that the person may not use", async () => {
    let asked = 0;
    const counted = tool("act", {
      effect: "write",
      unavailable: () => {
        asked += 1;
        return undefined;
      },
    });
    expect(await names(registry([counted]))).toEqual([]);
    expect(asked).toBe(0);
  });

  it("applies rules, their ask mode and later restrictions", async () => {
    const found = registry([tool("a"), tool("b", { toolset: "other" })], {
      rules: { other: { ask: "session" } },
    });
    const offered = await found.offered({
      ...place,
      restrictions: ({ name }) => (name === "a" ? [{ name: "the server's trust", allow: ["owner"] }] : []),
    });
    expect(offered.map(({ tool, ask }) => [tool.name, ask])).toEqual([["b", "session"]]);
  });

  it("reports unknown names", () => {
    const found = registry([tool("a")], {
      rules: { a: {}, set: {}, mine: {}, "*": {}, typo: {} },
      toolsets: { mine: { tools: ["a", "gone"], includes: ["nowhere"] } },
      platformToolsets: { test: ["hermes-test", "terminal"] },
      disabled: ["browser"],
    });
    expect(found.problems()).toEqual([
      "tools.typo matches no tool or toolset",
      'toolsets.mine.tools names "gone", which is neither a toolset nor a tool',
      'toolsets.mine.includes names "nowhere", which is neither a toolset nor a tool',
      'platform_toolsets.test names "terminal", which is neither a toolset nor a tool',
      'agent.disabled_toolsets names "browser", which is neither a toolset nor a tool',
    ]);
  });
});

describe("toolsets", () => {
  const tools = [
    tool("web_search", { toolset: "web" }),
    tool("web_extract", { toolset: "web" }),
    tool("memory", { toolset: "memory" }),
    tool("todo", { toolset: "todo" }),
  ];

  it("decide what a platform has; by default everything", async () => {
    const found = registry(tools, {
      toolsets: { research: { tools: ["todo"], includes: ["web"] } },
      platformToolsets: { small: ["memory"], big: ["research"], none: [], hermes: ["hermes-telegram"] },
    });
    expect(await names(found, "small")).toEqual(["memory"]);
    expect(await names(found, "big")).toEqual(["todo", "web_extract", "web_search"]);
    expect(await names(found, "none")).toEqual([]);
    expect(await names(found, "hermes")).toHaveLength(4);
    expect(await names(found, "other")).toHaveLength(4);
    const [first] = await found.explained({ ...place, platform: "small" });
    const { reason } = (await found.explained({ ...place, platform: "small" })).at(-1)!;
    expect(first!.offered).toBe(true);
    expect(reason).toBe("platform_toolsets.small doesn't contain it");
  });

  it("can be disabled at the end, by set or by name", async () => {
    const found = registry(tools, { platformToolsets: { test: ["all"] }, disabled: ["web", "todo"] });
    expect(await names(found)).toEqual(["memory"]);
    expect(await names(registry(tools, { disabled: ["*"] }))).toEqual([]);
  });

  it("replace Hermes' default of a platform", async () => {
    const found = registry(tools, { toolsets: { "hermes-test": { tools: ["memory"], includes: [] } } });
    expect(await names(found)).toEqual(["memory"]);
    expect(await names(found, "other")).toHaveLength(4);
  });

  it("know the sets of a tool, and end at cycles", () => {
    const sets = new Toolsets(tools, {
      ...SETTINGS,
      toolsets: {
        a: { tools: ["memory"], includes: ["b"] },
        b: { tools: ["todo"], includes: ["a"] },
        own: { tools: [], includes: ["own"] },
      },
    });
    expect(sets.setsOf("memory")).toEqual(["memory", "a", "b"]);
    expect(sets.setsOf("web_search")).toEqual(["web"]);
  });
});
