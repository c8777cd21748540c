import type { UsageRow } from "./reports.js";

export type UsageTotals = Omit<UsageRow, "day" | "source" | "model">;

export function totalOf(rows: readonly UsageRow[]): UsageTotals {
  const sum = (of: keyof UsageTotals) => rows.reduce((total, row) => total + row[of], 0);
  return {
    sessions: sum("sessions"),
    messages: sum("messages"),
    toolCalls: sum("toolCalls"),
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cacheReadTokens: sum("cacheReadTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    reasoningTokens: sum("reasoningTokens"),
    apiCalls: sum("apiCalls"),
    costUsd: sum("costUsd"),
  };
}

/** One total for each key, in the order in which the keys appear. */
export function totalsBy<K extends object>(
  rows: readonly UsageRow[],
  keyOf: (row: UsageRow) => K,
): (K & UsageTotals)[] {
  const groups = new Map<string, { key: K; rows: UsageRow[] }>();
  for (const row of rows) {
    const key = keyOf(row);
    const name = JSON.stringify(key);
    const group = groups.get(name);
    if (group) group.rows.push(row);
    else groups.set(name, { key, rows: [row] });
  }
  return [...groups.values()].map((group) => ({ ...group.key, ...totalOf(group.rows) }));
}
