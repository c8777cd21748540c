import type { Database } from "better-sqlite3";
import type { UsageDetail } from "../../reports.js";
import { inTime, whileInTime } from "../deadline.js";
import { sql } from "../statements.js";

export interface Period {
  since: number;
  until: number;
  source: string | null;
}

const MAX_GAP_SECONDS = 3600;

export function usageDetail(db: Database, period: Period): UsageDetail {
  const messages = `FROM messages m JOIN sessions s ON s.id = m.session_id
    WHERE m.timestamp >= @since AND m.timestamp < @until AND (@source IS NULL OR s.source = @source)
      AND m.active = 1 AND ${inTime("m.id")}`;
  const said = sql(db, `SELECT m.timestamp AS at, m.role ${messages} ORDER BY m.timestamp`).iterate(period);
  const tools = `SELECT m.tool_name AS tool, count(*) AS calls ${messages} AND m.role = 'tool' AND m.tool_name IS NOT NULL
    GROUP BY 1 ORDER BY calls DESC, tool`;
  return {
    ...activityOf(whileInTime(said as IterableIterator<Said>)),
    tools: sql(db, tools).all(period) as UsageDetail["tools"],
    notable: MEASURES.flatMap(([label, measure]) => notable(db, period, label, measure)),
  };
}

const MEASURES = [
  ["Most messages", "message_count"],
  ["Most tool calls", "tool_call_count"],
  ["Most tokens", "COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0)"],
  ["Highest cost", "COALESCE(actual_cost_usd, estimated_cost_usd, 0)"],
] as const;

function notable(db: Database, period: Period, label: string, measure: string): UsageDetail["notable"] {
  const row = sql(
    db,
    `SELECT id AS session_id, title, ${measure} AS value FROM sessions
     WHERE started_at >= @since AND started_at < @until AND (@source IS NULL OR source = @source)
     ORDER BY value DESC LIMIT 1`,
  ).get(period) as Omit<UsageDetail["notable"][number], "label"> | undefined;
  return row && row.value > 0 ? [{ label, ...row }] : [];
}

interface Said {
  at: number;
  role: string;
}

/** Local weekdays (Monday first), hours and days; time spent is the sum of the gaps under an hour. */
function activityOf(messages: Iterable<Said>): Omit<UsageDetail, "tools" | "notable"> {
  const weekdays = new Array<number>(7).fill(0);
  const hours = new Array<number>(24).fill(0);
  const days = new Set<number>();
  let activeSeconds = 0;
  let userMessages = 0;
  let before: number | undefined;
  for (const { at, role } of messages) {
    const date = new Date(at * 1000);
    weekdays[(date.getDay() + 6) % 7]! += 1;
    hours[date.getHours()]! += 1;
    days.add(Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000));
    const gap = at - (before ?? at);
    if (gap < MAX_GAP_SECONDS) activeSeconds += gap;
    if (role === "user") userMessages += 1;
    before = at;
  }
  return {
    userMessages,
    activeHours: activeSeconds / 3600,
    weekdays,
    hours,
    daysActive: days.size,
    longestStreak: longestRun([...days].sort((a, b) => a - b)),
  };
}

function longestRun(days: readonly number[]): number {
  let longest = 0;
  let run = 0;
  days.forEach((day, i) => {
    run = day - (days[i - 1] ?? Number.NaN) === 1 ? run + 1 : 1;
    longest = Math.max(longest, run);
  });
  return longest;
}
