import { nowSeconds } from "../clock.js";
import type { SessionId } from "../session.js";
import type { Reports, UsageRow } from "./reports.js";

export interface InsightsQuery {
  days: number;
  source?: string;
}

export interface Insights {
  days: number;
  overview: {
    sessions: number;
    messages: number;
    user_messages: number;
    tool_calls: number;
    input_tokens: number;
    output_tokens: number;
    cache_read_tokens: number;
    cache_write_tokens: number;
    reasoning_tokens: number;
    api_calls: number;
    cost_usd: number;
    active_hours: number;
  };
  models: {
    model: string;
    sessions: number;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
  }[];
  platforms: { source: string; sessions: number; messages: number; tokens: number; cost_usd: number }[];
  tools: { tool: string; calls: number }[];
  /** Messages by local weekday, Monday first, and by local hour. */
  weekdays: number[];
  hours: number[];
  days_active: number;
  longest_streak: number;
  notable: { label: string; session_id: SessionId; title: string | null; value: number }[];
}

/** Tokens, cost and activity of the last days. */
export async function readInsights(
  reports: Pick<Reports, "usage">,
  { days, source }: InsightsQuery,
): Promise<Insights> {
  const since = nowSeconds() - days * 86_400;
  const { rows, detail } = await reports.usage({
    ...{ since, timeZone: "UTC", detailed: true },
    ...(source === undefined ? {} : { source }),
  });
  const { userMessages, activeHours, tools, weekdays, hours, daysActive, longestStreak, notable } = detail!;
  return {
    days,
    overview: { ...overviewOf(rows), user_messages: userMessages, active_hours: activeHours },
    models: byModel(rows),
    platforms: byPlatform(rows),
    tools,
    weekdays,
    hours,
    days_active: daysActive,
    longest_streak: longestStreak,
    notable,
  };
}

type Counted = Exclude<keyof UsageRow, "day" | "source" | "model">;

function sum(rows: readonly UsageRow[], of: Counted): number {
  return rows.reduce((total, row) => total + row[of], 0);
}

function overviewOf(rows: readonly UsageRow[]): Omit<Insights["overview"], "user_messages" | "active_hours"> {
  return {
    sessions: sum(rows, "sessions"),
    messages: sum(rows, "messages"),
    tool_calls: sum(rows, "toolCalls"),
    input_tokens: sum(rows, "inputTokens"),
    output_tokens: sum(rows, "outputTokens"),
    cache_read_tokens: sum(rows, "cacheReadTokens"),
    cache_write_tokens: sum(rows, "cacheWriteTokens"),
    reasoning_tokens: sum(rows, "reasoningTokens"),
    api_calls: sum(rows, "apiCalls"),
    cost_usd: sum(rows, "costUsd"),
  };
}

/** The most tokens first. */
function byModel(rows: readonly UsageRow[]): Insights["models"] {
  const models = grouped(rows, (row) => row.model ?? "unknown").map(([model, of]) => ({
    ...{ model, sessions: sum(of, "sessions") },
    ...{ input_tokens: sum(of, "inputTokens"), output_tokens: sum(of, "outputTokens") },
    cost_usd: sum(of, "costUsd"),
  }));
  const tokens = (one: Insights["models"][number]) => one.input_tokens + one.output_tokens;
  return models.toSorted((a, b) => tokens(b) - tokens(a) || b.sessions - a.sessions);
}

/** The most messages first. */
function byPlatform(rows: readonly UsageRow[]): Insights["platforms"] {
  const platforms = grouped(rows, (row) => row.source).map(([source, of]) => ({
    ...{ source, sessions: sum(of, "sessions"), messages: sum(of, "messages") },
    ...{ tokens: sum(of, "inputTokens") + sum(of, "outputTokens"), cost_usd: sum(of, "costUsd") },
  }));
  return platforms.toSorted((a, b) => b.messages - a.messages);
}

/** In the order of their names. */
function grouped(
  rows: readonly UsageRow[],
  nameOf: (row: UsageRow) => string,
): [name: string, rows: UsageRow[]][] {
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const group = groups.get(nameOf(row));
    if (group) group.push(row);
    else groups.set(nameOf(row), [row]);
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
