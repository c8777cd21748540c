import { parseArgs } from "node:util";
import { type Insights, type InsightsQuery, readInsights } from "../store/insights.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { blocks, bullets, code, counted, dollars, grouped } from "./parts/text.js";

const DEFAULT_DAYS = 30;
const MAX_DAYS = 3650;
const MAX_ROWS = 5;

export const insights: Command = {
  name: "insights",
  usage: "[days] [--source name]",
  description: "Tokens, cost and activity of all sessions (owners only)",
  group: "about",
  when: "now",
  run,
};

async function run({ args, principal, gateway }: CommandCall): Promise<CommandOutcome> {
  if (!principal.owner) {
    return { reply: "Insights cover everyone's sessions, so only owners see them. /usage shows yours." };
  }
  const query = parseQuery(args);
  if (!query)
    return { reply: "I didn't understand that. For example `/insights 7` or `/insights --days 7`." };
  return { reply: report(await readInsights(gateway.store.reports, query)) };
}

function parseQuery(args: string): InsightsQuery | undefined {
  const given = parseFlags(args);
  const days = Number(given?.days ?? DEFAULT_DAYS);
  if (!given || !Number.isSafeInteger(days) || days < 1 || days > MAX_DAYS) return undefined;
  return { days, ...(given.source === undefined ? {} : { source: given.source }) };
}

function parseFlags(args: string): { days?: string | undefined; source?: string | undefined } | undefined {
  const options = { days: { type: "string" }, source: { type: "string" } } as const;
  try {
    const words = args.split(/\s+/).filter(Boolean);
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
    return positionals.length > 1 ? undefined : { days: positionals[0], ...values };
  } catch {
    // parseArgs throws on unknown options; the reply shows the usage.
    return undefined;
  }
}

/** Doesn't name sessions, because others can read it in rooms. */
function report({ days, overview, models, platforms, tools, days_active }: Insights): string {
  if (overview.sessions === 0) return `No sessions in the last ${counted(days, "day")}.`;
  const facts = bullets(
    `Sessions: ${grouped(overview.sessions)}, messages: ${grouped(overview.messages)} (${grouped(overview.user_messages)} by people)`,
    `Tokens: ${grouped(overview.input_tokens)} in, ${grouped(overview.output_tokens)} out`,
    `Cost: ${dollars(overview.cost_usd)}`,
    `Active: ${counted(days_active, "day")}, about ${grouped(overview.active_hours)} h`,
    row("Models", models, (entry) => `${code(entry.model)} ${dollars(entry.cost_usd)}`),
    row("Platforms", platforms, (entry) => `${entry.source} ${grouped(entry.messages)}`),
    row("Tools", tools, (entry) => `${code(entry.tool)} ${grouped(entry.calls)}`),
  );
  return blocks(`**Last ${counted(days, "day")}**`, facts);
}

function row<T>(label: string, entries: readonly T[], show: (entry: T) => string): string | undefined {
  return entries.length === 0 ? undefined : `${label}: ${entries.slice(0, MAX_ROWS).map(show).join(", ")}`;
}
