import { describe, expect, it } from "vitest";
import type { Principal } from "../../src/message.js";
import type { ToolSettings } from "../../src/tools/registry.js";
import { OWNER, rig, scripted } from "./support/servers.js";

const PAIRED: Principal = { platform: "test", userId: "ann" };
/** A platform that doesn't say who writes. */
const STRANGER: Principal = { platform: "test", userId: "" };

/** Who gets `read` and `write_it`, and when they ask. */
async function matrix(server: object, settings: Partial<ToolSettings> = {}) {
  const { mcp, registry } = rig(
    { one: scripted([], { ...server, tools: { include: ["read", "write.it"] } }) },
    { settings },
  );
  mcp.start();
  const rows = await Promise.all(
    Object.entries({ owner: OWNER, paired: PAIRED, stranger: STRANGER }).map(async ([who, principal]) => {
      const offered = await registry.offered({ principal, room: undefined, platform: "test" });
      const tools = offered.map(({ tool, ask }) => [tool.name.slice("mcp__one__".length), ask]);
      return [who, Object.fromEntries(tools)];
    }),
  );
  return Object.fromEntries(rows) as Record<"owner" | "paired" | "stranger", Record<string, string>>;
}

describe("who may use the tools of a server", () => {
  it("depends on their effect by default", async () => {
    expect(await matrix({})).toEqual({
      owner: { read: "never", write_it: "never" },
      paired: { read: "never" },
      stranger: {},
    });
  });

  it("is decided by the server's list, which rules can only narrow", async () => {
    expect(await matrix({ allow: ["paired"] })).toMatchObject({
      paired: { read: "never", write_it: "never" },
      stranger: {},
    });
    expect(await matrix({ allow: ["everyone"] })).toMatchObject({
      stranger: { read: "never", write_it: "never" },
    });
    expect(await matrix({ allow: [] })).toEqual({ owner: {}, paired: {}, stranger: {} });
    expect(await matrix({ allow: ["test:ann"] })).toMatchObject({ owner: {}, paired: { write_it: "never" } });
    const wide = { rules: { "*": { allow: ["everyone"] } } };
    expect(await matrix({ allow: ["owner"] }, wide)).toMatchObject({
      owner: { read: "never" },
      paired: {},
      stranger: {},
    });
    const narrow = { rules: { "mcp-one": { allow: ["owner"] } } };
    expect(await matrix({ allow: ["paired"] }, narrow)).toMatchObject({ paired: {} });
  });

  it("asks before tools of an untrusted server, unless they only read; rules can only be stricter", async () => {
    expect((await matrix({ trust: "untrusted" })).owner).toEqual({ read: "never", write_it: "session" });
    expect((await matrix({ trust: "no idea" })).owner).toEqual({ read: "never", write_it: "session" });
    const lax = { rules: { mcp__one__write_it: { ask: "never" as const } } };
    expect((await matrix({ trust: "untrusted" }, lax)).owner).toMatchObject({ write_it: "session" });
    const strict = { rules: { mcp__one__write_it: { ask: "always" as const } } };
    expect((await matrix({ trust: "untrusted" }, strict)).owner).toMatchObject({ write_it: "always" });
  });

  it("is decided by rules and toolsets with the old names of tools, too", async () => {
    const rules = { mcp_one_write_it: { allow: ["paired"], ask: "once" as const } };
    expect((await matrix({}, { rules })).paired).toEqual({ read: "never", write_it: "once" });
    const own = {
      toolsets: { mine: { tools: ["mcp_one_read"], includes: [] } },
      platformToolsets: { test: ["mine"] },
    };
    expect((await matrix({}, own)).owner).toEqual({ read: "never" });
    expect((await matrix({}, { platformToolsets: { test: ["mcp-one"] } })).owner).toHaveProperty("write_it");
    expect((await matrix({}, { disabled: ["mcp-one"] })).owner).toEqual({});
  });
});
