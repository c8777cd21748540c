import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { homeMark } from "../../src/mcp/environment.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";
import { OWNER, processesOf, rig, scripted, serversOf } from "./support/servers.js";

const seconds = (ms: number) => AbortSignal.timeout(ms);

describe("an MCP server over stdio", () => {
  it("offers its tools under valid names, with their annotations", async () => {
    const { mcp, registry, names, call } = rig({ "my-files": scripted() });
    mcp.start();
    expect(await names()).toContain("mcp__my_files__write_it");
    const [read, write, again] = await Promise.all(
      ["read", "write_it", "again"].map(async (name) => {
        const place = { principal: { platform: "test", userId: "1", owner: true }, room: undefined };
        const offered = await registry.offered({ ...place, platform: "test" });
        return offered.find(({ tool }) => tool.name === `mcp__my_files__${name}`)!.tool;
      }),
    );
    expect(read).toMatchObject({ effect: "read", repeat: "safe", toolset: "mcp-my-files" });
    expect(write).toMatchObject({ effect: "write", repeat: "never", aliases: ["mcp_my_files_write_it"] });
    expect(again).toMatchObject({ effect: "write", repeat: "safe", description: "again" });
    expect(await call("write_it")).toBe("written");
    expect(await call("fail")).toBe("Error: no such file");
    expect(mcp.status()).toEqual([{ name: "my-files", state: "ready", tools: 10 }]);
  });

  it("is awaited if it starts slowly and a call of its tools was interrupted", async () => {
    const file = path.join(tempDir(), "now");
    const { mcp, names, registry } = rig({ slow: scripted(["--late", file]) });
    mcp.start();
    const place = { principal: OWNER, room: undefined, platform: "test" };
    const waiting = registry.offered(place, ["mcp__slow__again"]);
    expect(await names()).toEqual([]);
    fs.writeFileSync(file, "");
    expect((await waiting).map(({ tool }) => tool.name)).toContain("mcp__slow__again");
  });

  it("offers what the filters leave, by the server's own names", async () => {
    const { mcp, names } = rig({
      some: scripted([], { tools: { include: ["re*", "write.it"], exclude: ["read"] } }),
      rest: scripted([], { tools: { exclude: ["*"] } }),
      none: scripted([], { tools: { include: [] } }),
      off: scripted([], { enabled: false }),
    });
    mcp.start();
    expect(await names()).toEqual(["mcp__some__read", "mcp__some__write_it"]);
    expect(mcp.status().map(({ state }) => state)).toEqual(["ready", "ready", "ready", "off"]);
  });

  it("gets only a few environment variables and its own, never the gateway's keys", async () => {
    const env = { PATH: process.env.PATH, HOME: "/home/x", OPENAI_API_KEY: "sk-secret" };
    const { mcp, call } = rig({ one: scripted([], { env: { GREETING: "hello" } }) }, { env });
    mcp.start();
    const seen = JSON.parse(await call("env")) as Record<string, string>;
    expect(seen).toMatchObject({ HOME: "/home/x", GREETING: "hello" });
    expect(JSON.stringify(seen)).not.toContain("sk-secret");
  });

  it("shows a changed list to the next turn; a turn that runs keeps its tools", async () => {
    const { mcp, registry, names, call } = rig({ one: scripted() });
    mcp.start();
    const place = {
      principal: { platform: "test", userId: "1", owner: true },
      room: undefined,
      platform: "test",
    };
    const turn = await registry.offered(place);
    expect(await call("change")).toBe("changed");
    await until("the new tool is there", async () => (await names()).includes("mcp__one__extra"));
    expect(turn.map(({ tool }) => tool.name)).not.toContain("mcp__one__extra");
    expect(
      await turn
        .find(({ tool }) => tool.name === "mcp__one__read")!
        .tool.run({}, { signal: seconds(5000) } as never),
    ).toBe("something");
  });

  it("fails a call that hangs, and only that one", async () => {
    const { mcp, call, state } = rig({ one: scripted([], { timeout: 0.3 }) });
    mcp.start();
    const hanging = call("hang");
    expect(await call("read")).toBe("something");
    await expect(hanging).rejects.toThrow("timed out");
    await expect(call("hang", {}, seconds(100))).rejects.toThrow();
    expect(state("one")?.state).toBe("ready");
    expect(await call("read")).toBe("something");
  });

  it("fails a call whose answer has 30 MB, and only that one", async () => {
    const { mcp, call, state } = rig({ one: scripted() });
    mcp.start();
    await expect(call("big", { megabytes: 30 })).rejects.toThrow("larger than 8 MB");
    expect((await call("big", { megabytes: 2 })).length).toBe(2 * 1024 * 1024);
    expect(state("one")?.state).toBe("ready");
  });

  it("is started again when it has died, also by the next call", async () => {
    const { mcp, call, ready, names } = rig({ one: scripted() });
    mcp.start();
    await expect(call("die")).rejects.toThrow("ended during the call");
    expect(await names()).toContain("mcp__one__read");
    expect(await call("read")).toBe("something");
    await ready("one");
  });

  it("is retried indefinitely if it can't be started, and reports why", async () => {
    const { mcp, state, names, servers, ready } = rig({
      gone: { command: "/nowhere/at-all" },
      broken: scripted(["--exit-at-start"]),
    });
    mcp.start();
    expect(await names()).toEqual([]);
    await until(
      "both fail",
      () => state("gone")?.state === "failing" && state("broken")?.state === "failing",
    );
    expect(state("gone")?.detail).toContain("ENOENT");
    expect(state("broken")?.detail).toContain("I can't find my files");
    // A reload takes the servers of the configuration as it is now.
    Object.assign(servers, serversOf({ broken: scripted() }));
    delete (servers as Record<string, unknown>).gone;
    await mcp.reload();
    await ready("broken");
    expect(mcp.status().map(({ name }) => name)).toEqual(["broken"]);
  });

  it("is connected again on its own, and keeps its last error", async () => {
    const broken = path.join(tempDir(), "broken");
    fs.writeFileSync(broken, "");
    const { mcp, state, names, ready } = rig({
      one: scripted(["--fail-if", broken], { trust: "untrusted", env: { KEY: "hidden" } }),
      off: { ...scripted(), enabled: false },
    });
    mcp.start();
    await until("it fails", () => state("one")?.state === "failing");
    fs.rmSync(broken);
    expect(await mcp.reconnect("one")).toMatchObject({ state: "ready" });
    await ready("one");
    expect(await names()).toContain("mcp__one__read");
    fs.writeFileSync(broken, "");
    expect(await mcp.reconnect("one")).toMatchObject({ state: "failing", tools: 0 });
    expect(await names()).toEqual([]);
    fs.rmSync(broken);
    await ready("one");
    expect(await mcp.reconnect("nothing")).toBeUndefined();
    const [one, off] = mcp.details();
    expect(one).toMatchObject({
      ...{ name: "one", state: "ready", transport: "stdio", trust: "untrusted", oauth: false },
      lastError: { at: expect.any(Number), reason: expect.stringContaining("I can't find my files") },
    });
    expect(one?.offered).toContainEqual({ name: "mcp__one__read", description: "Reads", effect: "read" });
    expect(JSON.stringify(one)).not.toContain("hidden");
    expect(off).toMatchObject({ state: "off", offered: [] });
  });

  it("doesn't keep turns waiting if it never answers", async () => {
    const { mcp, names, state, home } = rig({
      silent: scripted(["--silent"], { connect_timeout: 0.5 }),
      good: scripted(),
    });
    mcp.start();
    expect(await names()).toContain("mcp__good__read");
    await until("it fails", () => state("silent")?.state === "failing");
    expect(state("silent")?.detail).toMatch(/initialize|timed out/i);
    await mcp.stop();
    await noneLeft(home);
  });
});

/** A killed process is gone a moment after the signal. */
const noneLeft = (home: string) =>
  until("no process is left", () => processesOf(homeMark(home)).length === 0, {
    found: () => processesOf(homeMark(home)),
  });

describe("processes of MCP servers", () => {
  it("are ended by a stop with their children, even if they ignore it", async () => {
    const { mcp, home, ready } = rig({
      good: scripted(),
      parent: scripted(["--child"]),
      deaf: scripted(["--deaf", "--child"]),
    });
    mcp.start();
    await Promise.all(["good", "parent", "deaf"].map(ready));
    expect(processesOf(homeMark(home))).toHaveLength(5);
    await mcp.stop();
    await noneLeft(home);
  });

  it("are gone after a connect that failed or was cancelled", async () => {
    const failed = rig({ silent: scripted(["--silent", "--deaf", "--child"], { connect_timeout: 0.3 }) });
    failed.mcp.start();
    await until("it has failed", () => failed.state("silent")?.state === "failing");
    await failed.mcp.stop();
    await noneLeft(failed.home);

    const cancelled = rig({ silent: scripted(["--silent", "--deaf", "--child"]) });
    cancelled.mcp.start();
    await until("it runs", () => processesOf(homeMark(cancelled.home)).length === 2);
    await cancelled.mcp.stop();
    await noneLeft(cancelled.home);
  });

  it("don't accumulate while a server dies repeatedly", async () => {
    const { mcp, home, call } = rig({ one: scripted(["--child"]) });
    mcp.start();
    for (let i = 0; i < 3; i++) await expect(call("die")).rejects.toThrow();
    await call("read");
    expect(processesOf(homeMark(home))).toHaveLength(2);
  });
});
