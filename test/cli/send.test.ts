import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { storeIn } from "./support/home.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

const CONFIG = `
platforms:
  telegram: {token: "1:x", home_channel: -100}
  discord: {token: "MQ.x.y"}
`;

/** A home with one chat that is known. */
async function someHome(): Promise<string> {
  const home = temporaryFolder();
  writeFileSync(join(home, "config.yaml"), CONFIG);
  const origin = { platform: "telegram", chatType: "group", chatId: "-200", chatName: "Family" };
  const route = { sessionKey: "k", sessionId: "s", origin, tuple: "t", createdAt: 1, updatedAt: 2 };
  await storeIn(home, (store) => store.adopt({ routes: [{ ...route, lastPromptTokens: 0, flags: {} }] }));
  return home;
}

const waiting = (home: string) =>
  storeIn(home, async (store) => {
    const rows = await store.claimDeliveries("test", 10);
    return rows.map(({ target, text }) => [target.platform, target.chatId, target.threadId, text]);
  });

describe("hermes send", { timeout: 60_000 }, () => {
  it("queues the message if no gateway is running, and reports that", async () => {
    const home = await someHome();
    expect(await hermes(home, "send", "telegram:Family", "hello")).toMatch(
      /^Queued for telegram:-200 as out:1: no gateway is running/,
    );
    const queued = await hermesJson(home, "send", "telegram:-300:7", "a topic");
    expect(queued).toMatchObject({ id: "out:2", to: "telegram:-300:7", state: "pending", gateway: false });
    const ran = await runHermes(home, ["send", "home", "-"], "two\nlines\n");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(await waiting(home)).toEqual([
      ["telegram", "-200", null, "hello"],
      ["telegram", "-300", "7", "a topic"],
      ["telegram", "-100", null, "two\nlines"],
    ]);
  });

  it("sends once under one key", async () => {
    const home = await someHome();
    const first = await hermesJson(home, "send", "home", "done", "--key", "backup-7");
    expect(await hermesJson(home, "send", "home", "done", "--key", "backup-7")).toEqual(first);
    expect(await waiting(home)).toHaveLength(1);
  });

  it("doesn't wait without a gateway, but keeps the message", async () => {
    const home = await someHome();
    const ran = await runHermes(home, ["send", "home", "hello", "--wait"]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("No gateway is running");
    expect(await waiting(home)).toHaveLength(1);
  });

  it("rejects invalid arguments with advice", async () => {
    const home = await someHome();
    const cases: [string[], number, string][] = [
      [[], 2, "No chat was given."],
      [["telegram:Familie", "x"], 1, 'Known chats: telegram:-200 "Family"'],
      [["slack:C0123456", "x"], 1, "Enabled: telegram, discord, web"],
      [["discord:home", "x"], 1, "platforms.discord.home_channel"],
      [["home", " "], 1, "Nothing to send"],
      [["local", "x"], 1, "must be a chat"],
      [["home", "x", "--wait", "soon"], 2, "number of seconds"],
    ];
    const ran = await Promise.all(cases.map(([args]) => runHermes(home, ["send", ...args])));
    for (const [i, [, code, words]] of cases.entries()) {
      expect(ran[i]!.stderr).toContain(words);
      expect(ran[i]!.code, words).toBe(code);
    }
    expect(await waiting(home)).toEqual([]);
  });

  it("lists the chats that are known", async () => {
    const home = await someHome();
    expect(await hermes(home, "send", "--list")).toMatch(/telegram:-200\s+Family\s+group/);
    expect(await hermesJson(home, "send", "--list")).toMatchObject([{ to: "telegram:-200" }]);
    expect(await hermes(temporaryFolder(), "send", "--list")).toContain("No chat is known yet");
  });

  it.each([40, 80])("never cuts a target, also at %i columns", async (columns) => {
    const home = temporaryFolder();
    const chatIds = ["-200", `!${"room".repeat(12)}:matrix.example.org`, `!${"x".repeat(120)}:example.org`];
    const routes = chatIds.map((chatId, i) => {
      const origin = {
        platform: "matrix",
        chatType: "group",
        chatId,
        chatName: `A room with a long name ${i}`,
      };
      const route = {
        sessionKey: `k${i}`,
        sessionId: `s${i}`,
        origin,
        tuple: `t${i}`,
        createdAt: 1,
        updatedAt: 2,
      };
      return { ...route, lastPromptTokens: 0, flags: {} };
    });
    await storeIn(home, (store) => store.adopt({ routes }));
    const listed = await hermesJson(home, "send", "--list");
    expect(listed).toHaveLength(3);
    const { stdout } = await runHermes(home, ["send", "--list"], "", {}, columns);
    for (const { to } of listed as { to: string }[]) expect(stdout.split(/\s+/)).toContain(to);
    const [header = "", rule = ""] = stdout.split("\n");
    expect(Math.max(header.length, rule.length)).toBeLessThanOrEqual(columns);
  });
});
