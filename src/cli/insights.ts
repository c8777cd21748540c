import { Command } from "commander";
import type { Insights } from "../store/store.js";
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
    .option("--days <n>", "how far to look back", wholeNumber(1), 30)
    .addOption(sourceOption())
    .addOption(jsonOption())
    .action(insights);
}

async function insights({ days, source, json }: InsightsOptions): Promise<void> {
  const found = await withStore<Insights | undefined>(
    (store) => store.insights({ days, ...given<{ source: string }>({ source }) }),
    () => undefined,
  );
  if (json) printJson(found ?? { days, overview: { sessions: 0 } });
  else
    print(
      found && found.overview.sessions > 0
        ? drawInsights(found)
        : `No sessions found in the last ${days} days.`,
    );
}
