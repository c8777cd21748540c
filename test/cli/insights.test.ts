import { describe, expect, it } from "vitest";
import { drawInsights } from "../../src/cli/insights-report.js";
import { type Insights, readInsights } from "../../src/store/insights.js";
import type { UsageQuery, UsageRow } from "../../src/store/reports.js";

const INSIGHTS: Insights = {
  days: 7,
  overview: {
    sessions: 3,
    messages: 1200,
    user_messages: 400,
    tool_calls: 50,
    input_tokens: 1_000_000,
    output_tokens: 20_000,
    cache_read_tokens: 5,
    cache_write_tokens: 6,
    reasoning_tokens: 7,
    api_calls: 8,
    cost_usd: 1.5,
    active_hours: 2.25,
  },
  models: [{ model: "claude-x", sessions: 3, input_tokens: 1000, output_tokens: 20, cost_usd: 1.5 }],
  platforms: [{ source: "telegram", sessions: 3, messages: 1200, tokens: 1020, cost_usd: 1.5 }],
  tools: [
    { tool: "terminal", calls: 40 },
    { tool: "web", calls: 10 },
  ],
  weekdays: [600, 0, 300, 0, 0, 0, 300],
  hours: Array.from({ length: 24 }, (_, hour) => (hour === 9 ? 1200 : 0)),
  days_active: 3,
  longest_streak: 2,
  notable: [{ label: "Most messages", session_id: "s1", title: "my project", value: 900 }],
};

const row = (source: string, model: string | null, more: Partial<UsageRow>): UsageRow => ({
  ...{ day: "2026-06-16", source, model, sessions: 1, messages: 1, toolCalls: 0, apiCalls: 0, costUsd: 0.5 },
  ...{ inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  ...more,
});

describe("insights", () => {
  it("are sums of the usage, the largest first", async () => {
    const asked: UsageQuery[] = [];
    const detail = {
      ...{ userMessages: 4, activeHours: 2, daysActive: 1, longestStreak: 1 },
      ...{ weekdays: [], hours: [], tools: [], notable: [] },
    };
    const rows = [
      row("web", "a", { messages: 2 }),
      row("web", null, { inputTokens: 50 }),
      row("cli", "unknown", { messages: 7 }),
      row("web", "a", {}),
    ];
    const usage = async (query: UsageQuery) => {
      asked.push(query);
      return { rows, detail };
    };
    const found = await readInsights({ usage }, { days: 7, source: "web" });
    expect(asked).toMatchObject([{ source: "web", detailed: true }]);
    expect(found.overview).toMatchObject({ sessions: 4, messages: 11, input_tokens: 80, user_messages: 4 });
    expect(found.models).toMatchObject([
      { model: "unknown", sessions: 2, input_tokens: 60, cost_usd: 1 },
      { model: "a", sessions: 2, input_tokens: 20 },
    ]);
    expect(found.platforms).toMatchObject([
      { source: "cli", messages: 7, tokens: 11 },
      { source: "web", messages: 4, tokens: 73 },
    ]);
  });

  const report = drawInsights(INSIGHTS);

  it("sum up, by model and by platform", () => {
    expect(report).toContain("Last 7 days\n  Sessions    3\n  Messages    1,200 (400 by people)");
    expect(report).toContain("Tokens      1,000,000 in, 20,000 out");
    expect(report).toMatch(/Models\n {2}claude-x +3 sessions · 1,000 in, 20 out · \$1\.50/);
    expect(report).toMatch(/Platforms\n {2}telegram +3 sessions · 1,200 messages · 1,020 tokens · \$1\.50/);
  });

  it("draw tools, weekdays and hours as bars", () => {
    expect(report).toContain(`terminal  ${"█".repeat(30)} 40`);
    expect(report).toContain(`Mon  ${"█".repeat(30)} 600`);
    expect(report).toContain(`Wed  ${"█".repeat(15)}${" ".repeat(15)} 300`);
    expect(report).toContain(`09  ${"█".repeat(30)} 1,200`);
    expect(report.match(/^ {2}\d\d {2}/gm)).toHaveLength(24);
  });

  it("name notable sessions and leave out empty parts", () => {
    expect(report).toContain("Most messages  900  my project  s1");
    expect(drawInsights({ ...INSIGHTS, tools: [], notable: [] })).not.toMatch(/Tools|Notable/);
  });
});
