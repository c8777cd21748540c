import type { Database } from "better-sqlite3";
import { dateFormat } from "../../../date-format.js";
import type { TitleHit } from "../../history.js";
import type { Usage, UsageQuery, UsageRow } from "../../reports.js";
import { sql } from "../statements.js";
import { longRead } from "../verb.js";
import { usageDetail } from "./usage-detail.js";

/** Day boundaries depend on the time zone, quarter hours don't: SQLite sums quarter hours, and they are grouped into days here. */
const QUARTER_SECONDS = 900;

type Sums = Omit<UsageRow, "day" | "source" | "model">;

interface Quarter extends Sums {
  quarter: number;
  source: string;
  model: string | null;
}

export const usage = longRead(function usage(db: Database, query: UsageQuery): Usage {
  const { since, until = Number.MAX_SAFE_INTEGER, source = null, timeZone, detailed } = query;
  const period = { since, until, source };
  const quarters = sql(
    db,
    `SELECT CAST(started_at / ${QUARTER_SECONDS} AS INTEGER) AS quarter, source, model, count(*) AS sessions,
       COALESCE(sum(message_count), 0) AS messages, COALESCE(sum(tool_call_count), 0) AS toolCalls,
       COALESCE(sum(input_tokens), 0) AS inputTokens, COALESCE(sum(output_tokens), 0) AS outputTokens,
       COALESCE(sum(cache_read_tokens), 0) AS cacheReadTokens, COALESCE(sum(cache_write_tokens), 0) AS cacheWriteTokens,
       COALESCE(sum(reasoning_tokens), 0) AS reasoningTokens, COALESCE(sum(api_call_count), 0) AS apiCalls,
       COALESCE(sum(COALESCE(actual_cost_usd, estimated_cost_usd)), 0) AS costUsd
     FROM sessions WHERE started_at >= @since AND started_at < @until AND (@source IS NULL OR source = @source)
     GROUP BY 1, 2, 3`,
  ).all(period) as Quarter[];
  const rows = byDay(quarters, dayOf(timeZone));
  return detailed ? { rows, detail: usageDetail(db, period) } : { rows };
});

function byDay(quarters: readonly Quarter[], dayAt: (quarter: number) => string): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const { quarter, ...sums } of quarters) {
    const day = dayAt(quarter);
    const key = JSON.stringify([day, sums.source, sums.model]);
    const row = rows.get(key);
    if (row) addTo(row, sums);
    else rows.set(key, { day, ...sums });
  }
  return [...rows.values()];
}

function addTo(row: UsageRow, sums: Sums): void {
  row.sessions += sums.sessions;
  row.messages += sums.messages;
  row.toolCalls += sums.toolCalls;
  row.inputTokens += sums.inputTokens;
  row.outputTokens += sums.outputTokens;
  row.cacheReadTokens += sums.cacheReadTokens;
  row.cacheWriteTokens += sums.cacheWriteTokens;
  row.reasoningTokens += sums.reasoningTokens;
  row.apiCalls += sums.apiCalls;
  row.costUsd += sums.costUsd;
}

/** Swedish dates are ISO dates. */
function dayOf(timeZone: string): (quarter: number) => string {
  const format = dateFormat("sv-SE", { timeZone, dateStyle: "short" });
  const known = new Map<number, string>();
  return (quarter) => {
    const day = known.get(quarter) ?? format.format(quarter * QUARTER_SECONDS * 1000);
    known.set(quarter, day);
    return day;
  };
}

/** The title index is small enough for a full scan. */
export const findTitles = longRead(function findTitles(
  db: Database,
  text: string,
  limit: number,
): TitleHit[] {
  const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  return sql(
    db,
    `SELECT id, title, source, started_at FROM sessions
     WHERE title IS NOT NULL AND rowid IN (SELECT rowid FROM sessions WHERE title IS NOT NULL AND title LIKE ? ESCAPE '\\')
     ORDER BY started_at DESC LIMIT ?`,
  ).all(pattern, limit) as TitleHit[];
});
