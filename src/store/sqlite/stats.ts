import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../clock.js";
import type { FileLayout } from "../maintenance.js";
import type { Insights, InsightsQuery, Stats } from "../reports.js";
import { inTime, whileInTime } from "./deadline.js";
import { readLayout } from "./fulltext.js";
import { turnFigures } from "./reports/figures.js";
import { readVersion } from "./schema.js";
import { sql } from "./statements.js";
import { longRead, read } from "./verb.js";

export const stats = longRead(function stats(db: Database, turnsSince?: number): Stats {
  const bySource = sql(
    db,
    `SELECT source, count(*) AS sessions, COALESCE(sum(message_count), 0) AS messages FROM sessions
     WHERE archived = 0 GROUP BY source ORDER BY sessions DESC, source`,
  ).all() as Stats["bySource"];
  const value = (text: string) => sql(db, text).pluck().get() as number | null | undefined;
  return {
    sessions: bySource.reduce((sum, row) => sum + row.sessions, 0),
    archived: value("SELECT count(*) FROM sessions WHERE archived = 1") ?? 0,
    messages: value("SELECT count(*) FROM messages") ?? 0,
    bySource,
    newestMessageAt: value("SELECT timestamp FROM messages ORDER BY id DESC LIMIT 1") ?? null,
    databaseBytes: databaseBytes(db),
    ...(turnsSince === undefined ? {} : { turns: turnFigures(db, turnsSince) }),
  };
});

export const layout = read(function layout(db: Database): FileLayout {
  return { fullText: readLayout(db), schemaVersion: readVersion(db) ?? 0 };
});

/** All pages, including those that are still in the WAL. */
export const databaseBytes = read(function databaseBytes(db: Database): number {
  const pages = db.pragma("page_count", { simple: true }) as number;
  return pages * (db.pragma("page_size", { simple: true }) as number);
});

const TOKENS = "COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0)";
const COST = "COALESCE(actual_cost_usd, estimated_cost_usd, 0)";
const MAX_GAP_SECONDS = 3600;

export const insights = longRead(function insights(db: Database, query: InsightsQuery): Insights {
  const since = nowSeconds() - query.days * 86_400;
  const where = "s.started_at >= @since AND (@source IS NULL OR s.source = @source)";
  const scope = { since, source: query.source ?? null };
  const all = <T>(text: string) => sql(db, text).all(scope) as T[];
  const overview = sql(
    db,
    `SELECT count(*) AS sessions, COALESCE(sum(message_count), 0) AS messages,
       COALESCE(sum(tool_call_count), 0) AS tool_calls,
       COALESCE(sum(input_tokens), 0) AS input_tokens, COALESCE(sum(output_tokens), 0) AS output_tokens,
       COALESCE(sum(cache_read_tokens), 0) AS cache_read_tokens,
       COALESCE(sum(cache_write_tokens), 0) AS cache_write_tokens,
       COALESCE(sum(reasoning_tokens), 0) AS reasoning_tokens,
       COALESCE(sum(api_call_count), 0) AS api_calls, COALESCE(sum(${COST}), 0) AS cost_usd
     FROM sessions s WHERE ${where}`,
  ).get(scope) as Omit<Insights["overview"], "user_messages" | "active_hours">;
  const messages = `FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.timestamp >= @since
    AND (@source IS NULL OR s.source = @source) AND m.active = 1 AND ${inTime("m.id")}`;
  const said = sql(db, `SELECT m.timestamp AS at, m.role ${messages} ORDER BY m.timestamp`).iterate(scope);
  const activity = activityOf(whileInTime(said as IterableIterator<Said>));
  return {
    days: query.days,
    overview: { ...overview, user_messages: activity.userMessages, active_hours: activity.activeHours },
    models: all(`SELECT COALESCE(model, 'unknown') AS model, count(*) AS sessions,
      COALESCE(sum(input_tokens), 0) AS input_tokens, COALESCE(sum(output_tokens), 0) AS output_tokens,
      COALESCE(sum(${COST}), 0) AS cost_usd FROM sessions s WHERE ${where}
      GROUP BY 1 ORDER BY sum(${TOKENS}) DESC, sessions DESC`),
    platforms: all(`SELECT source, count(*) AS sessions, COALESCE(sum(message_count), 0) AS messages,
      COALESCE(sum(${TOKENS}), 0) AS tokens, COALESCE(sum(${COST}), 0) AS cost_usd FROM sessions s WHERE ${where}
      GROUP BY source ORDER BY messages DESC, source`),
    tools:
      all(`SELECT m.tool_name AS tool, count(*) AS calls ${messages} AND m.role = 'tool' AND m.tool_name IS NOT NULL
      GROUP BY 1 ORDER BY calls DESC, tool`),
    weekdays: activity.weekdays,
    hours: activity.hours,
    days_active: activity.daysActive,
    longest_streak: activity.longestStreak,
    notable: [
      ...notable(db, scope, where, "Most messages", "message_count"),
      ...notable(db, scope, where, "Most tool calls", "tool_call_count"),
      ...notable(db, scope, where, "Most tokens", TOKENS),
      ...notable(db, scope, where, "Highest cost", COST),
    ],
  };
});

function notable(
  db: Database,
  scope: object,
  where: string,
  label: string,
  measure: string,
): Insights["notable"] {
  const row = sql(
    db,
    `SELECT id AS session_id, title, ${measure} AS value FROM sessions s WHERE ${where} ORDER BY value DESC LIMIT 1`,
  ).get(scope) as { session_id: string; title: string | null; value: number } | undefined;
  return row && row.value > 0 ? [{ label, ...row }] : [];
}

interface Said {
  at: number;
  role: string;
}

/** Local weekdays (Monday first), hours and days; time spent is the sum of the gaps under an hour. */
function activityOf(messages: Iterable<Said>) {
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
