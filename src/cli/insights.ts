import { Command } from "commander";
import { type Insights, readInsights } from "../store/insights.js";
import { drawInsights } from "./insights-report.js";
import { withStore } from "./open.js";
import { given, jsonOption, sourceOption, wholeNumber } from "./options.js";
import { print, printJson } from "./output.js";

interface InsightsOptions {
  days: number;
  source?: string;
  json?: boolean;
}

export function insightsCommand(): Command {
  return new Command("insights")
    .option("--days <n>", "how many days to include", wholeNumber(1), 30)
    .addOption(sourceOption())
    .addOption(jsonOption())
    .action(insights);
}

async function insights({ days, source, json }: InsightsOptions): Promise<void> {
  const found = await withStore<Insights | undefined>(
    (store) => readInsights(store.reports, { days, ...given<{ source: string }>({ source }) }),
    () => undefined,
  );
  if (json) printJson(found ?? nothing(days));
  else
    print(
      found && found.overview.sessions > 0
        ? drawInsights(found)
        : `No sessions found in the last ${days} days.`,
    );
}

/** The empty report of a home without a database. */
function nothing(days: number): Insights {
  return {
    days,
    overview: {
      sessions: 0,
      messages: 0,
      user_messages: 0,
      tool_calls: 0,
      input_tokens: 0,
      output_tokens: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      api_calls: 0,
      cost_usd: 0,
      active_hours: 0,
    },
    models: [],
    platforms: [],
    tools: [],
    weekdays: new Array<number>(7).fill(0),
    hours: new Array<number>(24).fill(0),
    days_active: 0,
    longest_streak: 0,
    notable: [],
  };
}
