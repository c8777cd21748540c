import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionSummary } from "../../src/session.js";
import type { Insights } from "../../src/store/insights.js";
import type { Lineage, SearchPlan, SearchResult } from "../../src/store/store.js";
import { archive } from "../support/archive.js";
import { AUTH, PROJECT, sharedHistory, someHistory, storeIn, TOOL, WEATHER } from "./support/home.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

const history = sharedHistory();

describe("hermes sessions list", () => {
  it("shows titles, previews and relative times, and hides tools", async () => {
    const home = history();
    expect((await hermes(home, "sessions", "list")).split("\n")).toEqual([
      "Title                            Preview                                  Last Active   ID",
      "─".repeat(110),
      `refactoring auth                 Help me refactor the auth module pleas   2h ago        ${AUTH}`,
      "my project #2                    Go on with the failures                  yesterday     20250304_150000_cccccccc",
      `—                                What's the weather in 東京タワー?        3d ago        ${WEATHER}`,
      "",
    ]);
  });

  it("filters by source and limits, also for tools by name", async () => {
    const home = history();
    expect(await hermes(home, "sessions", "list", "--source", "tool")).toContain(TOOL);
    const newest = await hermesJson<SessionSummary[]>(home, "sessions", "list", "--limit", "1");
    expect(newest).toMatchObject([{ id: AUTH, title: "refactoring auth", message_count: 4, source: "cli" }]);
  });

  it("shows archived sessions only when asked, and sorts by activity", async () => {
    const home = await someHistory();
    await storeIn(home, async (store) => {
      await store.appendMessages(WEATHER, [{ role: "user", content: "and now?" }]);
    });
    archive(join(home, "state.db"), AUTH);
    expect(await hermes(home, "sessions", "list")).not.toContain(AUTH);
    expect(await hermes(home, "sessions", "list", "--all")).toContain(AUTH);
    const [first] = await hermesJson<SessionSummary[]>(home, "sessions", "list", "--by", "active");
    expect(first?.id).toBe(WEATHER);
  });

  it("creates no files in an empty home", async () => {
    const home = join(temporaryFolder(), "none");
    expect(await hermes(home, "sessions", "list")).toBe("No sessions found.\n");
    expect(await hermesJson(home, "sessions", "list")).toEqual([]);
    expect(await hermes(home, "insights", "--days", "3")).toBe("No sessions found in the last 3 days.\n");
    // Programs find the same shape as where something is.
    const shapeOf = (report: Insights) => [
      Object.keys(report).toSorted(),
      Object.keys(report.overview).toSorted(),
    ];
    const nothing = await hermesJson<Insights>(home, "insights");
    expect(shapeOf(nothing)).toEqual(shapeOf(await hermesJson<Insights>(history(), "insights")));
    expect(await hermes(home, "sessions", "search", "x")).toBe("No sessions found.\n");
    expect(existsSync(home)).toBe(false);
  });
});

describe("hermes sessions show", () => {
  it("prints the conversation by id, beginning of an id, or title, with tool calls folded", async () => {
    const home = history();
    const shown = await hermes(home, "sessions", "show", AUTH);
    expect(shown).toMatch(
      /^refactoring auth\n.* · cli · claude-x · 4 messages · started .* · active 2h ago\n/,
    );
    expect(shown).toContain("  Looking.\n  [1 tool call: terminal]\n");
    expect(shown).toContain("  It's one file: auth.py 🔐\n");
    expect(await hermes(home, "sessions", "show", "20250305")).toBe(shown);
    expect(await hermes(home, "sessions", "show", "refactoring auth")).toBe(shown);
  });

  it("prints rows as JSON", async () => {
    const home = history();
    const shown = await hermesJson<{ id: string; messages: unknown[] }>(
      home,
      "sessions",
      "show",
      AUTH,
      "--limit",
      "2",
    );
    expect(shown).toMatchObject({
      id: AUTH,
      messages: [{ role: "tool", tool_name: "terminal" }, { role: "assistant" }],
    });
  });

  it("fails for unknown and ambiguous references", async () => {
    const home = history();
    expect(await runHermes(home, ["sessions", "show", "nope"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: Session 'nope' not found.\n`hermes sessions list` shows all sessions.\n",
    });
    const several = await runHermes(home, ["sessions", "show", "202503"]);
    expect(several).toMatchObject({ code: 1, stdout: "" });
    expect(several.stderr).toMatch(/^error: .*several/);
  });
});

describe("hermes sessions search", () => {
  it("finds words, with the marks kept in a pipe", async () => {
    const home = history();
    const found = await hermes(home, "sessions", "search", "refactor", "auth");
    expect(found).toMatch(
      new RegExp(`^refactoring auth · ${AUTH} · cli · user · 2h ago\n {4}.*>>>refactor<<< the >>>auth<<<`),
    );
    expect(await hermes(home, "sessions", "search", "nothingofthekind")).toBe("No messages found.\n");
  });

  it("filters by source, role and time", async () => {
    const found: [count: number, ...args: string[]][] = [
      [2, "failures"],
      [2, "failures", "--source", "cli", "--source", "discord"],
      [0, "failures", "--exclude-source", "discord"],
      [1, "failures", "--sort", "oldest", "--limit", "1"],
      [1, "auth", "--role", "user"],
      [1, "weather", "--since", "7d"],
      [0, "weather", "--since", "12h"],
      [1, "weather", "--until", "12h"],
      [1, "eathe", "--substring"],
      [1, "東京タワー"],
    ];
    const count = async (...args: string[]) =>
      (await hermesJson<SearchResult>(history(), "sessions", "search", ...args)).hits.length;
    expect(await Promise.all(found.map(([, ...args]) => count(...args)))).toEqual(found.map(([n]) => n));
  });

  it("explains how a query is understood, without a database too", async () => {
    const home = join(temporaryFolder(), "none");
    expect(await hermes(home, "sessions", "search", "--explain", "foo-bar")).toBe(
      'Query:     foo-bar\nFTS query: "foo-bar"\nPath:      fts (full-text index of words)\n',
    );
    const plan = await hermesJson<SearchPlan>(home, "sessions", "search", "--explain", "東京タワー");
    expect(plan).toMatchObject({ query: "東京タワー", path: "trigram" });
  });

  it("rejects invalid queries", async () => {
    const ran = await runHermes(history(), ["sessions", "search", "  "]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^error: There is nothing to search for\.\nGive a word/);
  });
});

describe("hermes sessions lineage", () => {
  it("draws the family of a session", async () => {
    const home = history();
    const [root, child] = (await hermes(home, "sessions", "lineage", PROJECT)).split("\n");
    expect(root).toBe(`my project  ${PROJECT}  root · discord · 1 message · yesterday  ◀ asked`);
    expect(child).toMatch(/^└─ my project #2 {2}20250304_150000_cccccccc {2}compression · .* {2}★ tip$/);
    const lineage = await hermesJson<Lineage>(home, "sessions", "lineage", "my project");
    expect(lineage).toMatchObject({
      tip: "20250304_150000_cccccccc",
      ancestors: [{ id: PROJECT }],
      descendants: [],
    });
  });
});

describe("hermes sessions stats and hermes insights", () => {
  it("count every source that occurs", async () => {
    const home = history();
    expect(await hermes(home, "sessions", "stats")).toMatch(
      /^Total sessions: 5\nTotal messages: 8\n {2}discord: 2 sessions\n {2}cli: 1 sessions\n {2}telegram: 1 sessions\n {2}tool: 1 sessions\nDatabase size: \d+\.\d MB\n$/,
    );
    expect(await hermesJson(home, "sessions", "stats")).toMatchObject({
      sessions: 5,
      by_source: [{ source: "discord" }, { source: "cli" }, { source: "telegram" }, { source: "tool" }],
      database_bytes: expect.any(Number),
      schema_version: 11,
    });
  });

  it("report tokens, cost, tools and activity", async () => {
    const home = history();
    const report = await hermes(home, "insights");
    expect(report).toMatch(/Last 30 days\n {2}Sessions +5\n/);
    expect(report).toMatch(/Cost +\$0\.25/);
    expect(report).toMatch(/Tools\n {2}terminal {2}█{30} 1\n/);
    expect(report).toMatch(/By weekday/);
    const insights = await hermesJson<Insights>(home, "insights", "--source", "cli", "--days", "1");
    expect(insights).toMatchObject({
      days: 1,
      overview: { sessions: 1, input_tokens: 1200 },
      models: [{ model: "claude-x" }],
    });
  });
});
