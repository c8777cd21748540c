import { nowSeconds } from "../clock.js";
import type { SessionId } from "../session.js";
import type { Reports, UsageRow } from "./reports.js";
import { totalOf, totalsBy, type UsageTotals } from "./usage-totals.js";

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

function overviewOf(rows: readonly UsageRow[]): Omit<Insights["overview"], "user_messages" | "active_hours"> {
  const total = totalOf(rows);
  return {
    sessions: total.sessions,
    messages: total.messages,
    tool_calls: total.toolCalls,
    input_tokens: total.inputTokens,
    output_tokens: total.outputTokens,
    cache_read_tokens: total.cacheReadTokens,
    cache_write_tokens: total.cacheWriteTokens,
    reasoning_tokens: total.reasoningTokens,
    api_calls: total.apiCalls,
    cost_usd: total.costUsd,
  };
}

const tokensOf = (totals: UsageTotals) => totals.inputTokens + totals.outputTokens;
const byName = (a: string, b: string) => (a < b ? -1 : 1);

/** The most tokens first. */
function byModel(rows: readonly UsageRow[]): Insights["models"] {
  return totalsBy(rows, (row) => ({ model: row.model ?? "unknown" }))
    .toSorted((a, b) => tokensOf(b) - tokensOf(a) || b.sessions - a.sessions || byName(a.model, b.model))
    .map(({ model, sessions, inputTokens, outputTokens, costUsd }) => ({
      model,
      sessions,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cost_usd: costUsd,
    }));
}

/** The most messages first. */
function byPlatform(rows: readonly UsageRow[]): Insights["platforms"] {
  return totalsBy(rows, ({ source }) => ({ source }))
    .toSorted((a, b) => b.messages - a.messages || byName(a.source, b.source))
    .map((totals) => {
      const { source, sessions, messages, costUsd } = totals;
      return { source, sessions, messages, tokens: tokensOf(totals), cost_usd: costUsd };
    });
}
