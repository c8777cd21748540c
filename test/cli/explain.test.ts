import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { nowSeconds } from "../../src/clock.js";
import { SCRIPTED } from "../mcp/support/servers.js";
import { vectors } from "../support/vectors.js";
import { storeIn } from "./support/home.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

interface KeyVector {
  source: object;
  config: object;
  key: string | null;
  fixtures?: Record<string, string>;
}
interface ResetVector {
  should_reset: string | null;
}

const jsonLines = (questions: readonly unknown[]) =>
  questions.map((question) => `${JSON.stringify(question)}\n`).join("");

async function answers(home: string, args: readonly string[], input: string): Promise<string[]> {
  const ran = await runHermes(home, args, input);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout.trimEnd().split("\n");
}

function placeFixtures(home: string, fixtures: Record<string, string> = {}): void {
  for (const [name, link] of Object.entries(fixtures)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), JSON.stringify(link));
  }
}

describe("hermes explain key", () => {
  it("answers the vectors line by line", async () => {
    const home = temporaryFolder();
    const known = vectors<KeyVector[]>("session-key-vectors").filter(({ key }) => key !== null);
    const [linked, plain] = [known.filter((v) => v.fixtures), known.filter((v) => !v.fixtures)];
    expect(await answers(home, ["explain", "key", "-"], jsonLines(plain))).toEqual(
      plain.map(({ key }) => key),
    );
    for (const { fixtures } of linked) placeFixtures(home, fixtures);
    expect(await answers(home, ["explain", "key", "-"], jsonLines(linked))).toEqual(
      linked.map(({ key }) => key),
    );
  });

  it("takes a single question from flags and the isolation from the configuration", async () => {
    const home = temporaryFolder();
    const room = [
      "explain",
      "key",
      "--platform",
      "telegram",
      "--chat-type",
      "group",
      "--chat",
      "-1001",
      "--user",
      "7",
    ];
    expect(await hermes(home, ...room)).toBe(
      "agent:main:telegram:group:-1001:7\nbecause: everyone has their own session here\n",
    );
    writeFileSync(join(home, "config.yaml"), "group_sessions_per_user: false\n");
    expect(await hermesJson(home, ...room)).toEqual({
      key: "agent:main:telegram:group:-1001",
      shared: true,
      tuple: '["telegram","group","-1001",null,null]',
      because: "group_sessions_per_user is off: the room shares one session",
    });
    expect(await hermesJson(home, ...room, "--group-sessions-per-user", "yes")).toMatchObject({
      shared: false,
    });
  });

  it("answers every question in order if one is invalid, and reports it by its exit code", async () => {
    const good = { source: { platform: "telegram", chat_id: 5 } };
    const input = `${JSON.stringify(good)}\nnonsense\n{"source": 3}\n${JSON.stringify(good)}\n`;
    const ran = await runHermes(temporaryFolder(), ["explain", "key", "-"], input);
    expect(ran.code).toBe(1);
    expect(ran.stdout.split("\n")).toEqual([
      "agent:main:telegram:dm:5",
      "error: line 2: not JSON",
      "error: line 3: source is not a JSON object",
      "agent:main:telegram:dm:5",
      "",
    ]);
    const asJson = await runHermes(temporaryFolder(), ["explain", "key", "-", "--json"], input);
    const parsed = asJson.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(parsed[0]).toMatchObject({
      key: "agent:main:telegram:dm:5",
      shared: false,
      because: expect.any(String),
    });
    expect(parsed[1]).toEqual({ error: "line 2: not JSON" });
  });

  it.each([
    [["explain", "key"], 2, /Which platform\?/],
    [["explain", "key", "questions.jsonl"], 2, /Can't read 'questions.jsonl'/],
    [["explain", "reset"], 2, /When was the last message\?/],
    [["explain", "reset", "agent:main:x:dm:1"], 1, /No chat has the session key/],
  ])("says what %j lacks", async (args, code, message) => {
    const ran = await runHermes(temporaryFolder(), args);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toMatch(message);
  });
});

describe("hermes explain reset", () => {
  it("answers the vectors line by line", async () => {
    const known = vectors<ResetVector[]>("reset-policy-vectors");
    const words = known.map(({ should_reset }) => should_reset ?? "none");
    expect(await answers(temporaryFolder(), ["explain", "reset", "-"], jsonLines(known))).toEqual(words);
    const parsed = (
      await answers(temporaryFolder(), ["explain", "reset", "-", "--json"], jsonLines(known))
    ).map((line) => JSON.parse(line) as { reset: string; because: string });
    expect(parsed.map(({ reset }) => reset)).toEqual(words);
    expect(parsed.every(({ because }) => because.length > 0)).toBe(true);
  });

  it("takes the policy of the place from the configuration, and says when the next reset is", async () => {
    const home = temporaryFolder();
    const yaml = "timezone: UTC\nreset_by_platform:\n  telegram: {mode: idle, idle_minutes: 60}\n";
    writeFileSync(join(home, "config.yaml"), yaml);
    const ask = ["explain", "reset", "--platform", "telegram", "--now", "2026-06-16T12:00:00Z"];
    expect(await hermesJson(home, ...ask, "--last", "2026-06-16T11:30:00Z")).toMatchObject({
      reset: "none",
      policy: { mode: "idle", idleMinutes: 60 },
      next: { at: Date.parse("2026-06-16T12:30:00Z") / 1000, reason: "idle" },
    });
    const late = [...ask, "--last", "2026-06-16T10:30:00Z"];
    expect(await hermes(home, ...late)).toBe("idle\nbecause: no message for more than 60 minutes\n");
    expect(await hermes(home, ...late, "--busy")).toBe("none\nbecause: background work is running\n");
  });

  it("answers for a chat by its session key", async () => {
    const home = temporaryFolder();
    const key = "agent:main:telegram:dm:1";
    await storeIn(home, (store) =>
      store.switchRoute({
        sessionKey: key,
        origin: { platform: "telegram", chatType: "dm", chatId: "1" },
        tuple: "t",
        session: { id: "s1", source: "telegram" },
        expectedSessionId: null,
        endReason: "session_reset",
        at: nowSeconds() - 3 * 86_400,
      }),
    );
    expect(await hermes(home, "explain", "reset", key)).toMatch(/^idle\nbecause: /);
    const expired = [{ sessionKey: key, sessionId: "s1", reason: "daily" }];
    await storeIn(home, (store) => store.settleDueRoutes({ rules: "", expired, postponed: [] }));
    expect(await hermes(home, "explain", "reset", key)).toBe("daily\nbecause: it was due and has ended\n");
  });
});

describe("hermes explain access", () => {
  const person = { source: { platform: "telegram", chat_id: "7", user_id: "7" } };

  it("refuses everyone by default", async () => {
    const home = temporaryFolder();
    const ask = ["explain", "access", "--platform", "telegram", "--chat", "7"];
    expect(await hermes(home, ...ask, "--user", "7")).toBe(
      "refuse not_listed\nbecause: no list names them, and they are not paired\n",
    );
    expect(await hermesJson(home, ...ask)).toEqual({
      allow: false,
      rule: "no_user_id",
      because: "the platform doesn't identify the sender",
    });
    expect(await hermes(home, ...ask, "--user", "7", "--paired")).toMatch(/^allow paired\n/);
  });

  it("goes by the lists in force and by the pairings in the database", async () => {
    const home = temporaryFolder();
    const yaml = 'owners: ["telegram:1"]\nplatforms:\n  telegram: {allow_from: ["2"]}\n';
    writeFileSync(join(home, "config.yaml"), yaml);
    await storeIn(home, async (store) => {
      const pairing = {
        platform: "telegram",
        userId: "3",
        userName: null,
        hash: "",
        salt: "",
        createdAt: nowSeconds(),
      };
      await store.addPairing({ id: "p", ...pairing });
      await store.settlePairing({ id: "p", approved: true });
    });
    const questions = ["1", "2", "3", "7"].map((user_id) => ({ source: { ...person.source, user_id } }));
    const bot = { ...person, is_bot: true };
    const proved = { ...person, authenticated: true };
    expect(await answers(home, ["explain", "access", "-"], jsonLines([...questions, bot, proved]))).toEqual([
      "allow owner",
      "allow allow_from",
      "allow paired",
      "refuse not_listed",
      "refuse bot",
      "allow authenticated",
    ]);
  });
});

describe("hermes explain tools", () => {
  const CONFIG = `owners: ["telegram:1"]
platforms: {telegram: {allow_from: [2]}}
tools: {"*": {rooms: dm}, memory: {rooms: all, ask: once}, send_message: {allow: ["telegram:2"]}}
platform_toolsets: {telegram: [all, terminal]}
agent: {disabled_toolsets: [todo]}
`;

  interface Explained {
    may_talk: boolean;
    tools: { name: string; offered: boolean; ask: string; because: string }[];
    mcp_servers: object[];
    problems: string[];
  }

  async function explain(...args: string[]) {
    const home = temporaryFolder();
    writeFileSync(join(home, "config.yaml"), CONFIG);
    const found = (await hermesJson(home, "explain", "tools", ...args)) as Explained;
    const offered = found.tools.filter((tool) => tool.offered).map(({ name }) => name);
    const because = Object.fromEntries(found.tools.map(({ name, because }) => [name, because]));
    return { found, offered, because };
  }

  it("says for each tool why it is offered or not", async () => {
    const owner = await explain("telegram:1");
    expect(owner.offered).toEqual([
      "clarify",
      "cronjob",
      "delegate_task",
      "memory",
      "session_search",
      "web_extract",
    ]);
    expect(owner.because).toMatchObject({
      send_message: "tools.send_message allows telegram:2, and this is an owner",
      todo: "agent.disabled_toolsets removes it",
      web_search: expect.stringContaining("SEARXNG_URL"),
    });
    expect(owner.found.problems).toEqual([
      'platform_toolsets.telegram names "terminal", which is neither a toolset nor a tool',
    ]);
    const person = await explain("telegram:2", "telegram:-1001");
    expect(person.offered).toEqual(["memory"]);
    expect(person.found.tools.find(({ name }) => name === "memory")).toMatchObject({ ask: "once" });
    expect(person.because.web_extract).toBe("tools.* allows it in direct chats only");
  });

  it("says that a stranger has none", async () => {
    const stranger = await explain("telegram:3");
    expect(stranger.found.may_talk).toBe(false);
    expect(stranger.offered).toEqual([]);
    expect(stranger.because.memory).toBe("they may not talk to the bot");
  });

  it("draws a table for people, and rejects what is no person", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "config.yaml"), CONFIG);
    const table = await hermes(home, "explain", "tools", "telegram:2");
    expect(table).toContain("telegram:2 in a direct chat is a paired person.");
    expect(table).toMatch(/^send_message +yes +never +tools.send_message allows telegram:2$/m);
    expect(table).toContain('Note: platform_toolsets.telegram names "terminal"');
    expect(await runHermes(home, ["explain", "tools", "ann"])).toMatchObject({ code: 2 });
  });

  it("knows the tools of MCP servers, and shows the state of each server", async () => {
    const home = temporaryFolder();
    const yaml = `
owners: ["telegram:1"]
allow_all: true
mcp_servers:
  files: {command: ${process.execPath}, args: [${SCRIPTED}], trust: untrusted, tools: {include: [read, count]}}
  gone: {command: /no/such/program}
`;
    writeFileSync(join(home, "config.yaml"), yaml);
    const found = (await hermesJson(home, "explain", "tools", "telegram:1")) as Explained;
    const mcp = found.tools.filter(({ name }) => name.startsWith("mcp__"));
    expect(mcp).toMatchObject([
      { name: "mcp__files__count", offered: true, ask: "session" },
      { name: "mcp__files__read", offered: true, ask: "never" },
    ]);
    expect(found.mcp_servers).toMatchObject([
      { name: "files", state: "ready", tools: 2, trust: "untrusted" },
      { name: "gone", state: "failing", trust: "full" },
    ]);
    const table = await hermes(home, "explain", "tools", "telegram:2");
    expect(table).toMatch(/^mcp__files__count +no /m);
    expect(table).toContain("files: ready, 2 tools, trust: untrusted");
    expect(table).toMatch(/gone: failing: .*ENOENT/);
  });
});
