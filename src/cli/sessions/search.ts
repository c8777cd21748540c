import { Command, Option } from "commander";
import { nowSeconds } from "../../clock.js";
import type { SearchOptions, SearchPlan, SearchResult, SearchSort } from "../../store/store.js";
import { withStore } from "../open.js";
import { collect, given, jsonOption, sinceOption, untilOption, wholeNumber } from "../options.js";
import { print, printJson } from "../output.js";
import { drawHits, drawPlan } from "./hits.js";

interface SearchFlags {
  source?: string[];
  excludeSource?: string[];
  role?: string[];
  since?: number;
  until?: number;
  sort: SearchSort;
  limit: number;
  substring?: boolean;
  explain?: boolean;
  json?: boolean;
}

const EXAMPLES = `
All words must occur. Also: "an exact phrase", deploy*, docker OR podman, python NOT java.
--source, --exclude-source and --role may be given several times.

Examples:
  hermes sessions search refactor auth --role user --since 7d
  hermes sessions search 'docker OR podman' --sort newest
  hermes sessions search --explain user@example.com
  hermes sessions search -- -foo             a query that begins with a dash`;

export function searchCommand(): Command {
  return new Command("search")
    .description("Find messages")
    .argument("<query...>", "what to look for")
    .option("--source <source>", "only this source", collect)
    .option("--exclude-source <source>", "not this source", collect)
    .option("--role <role>", "only messages of user, assistant or tool", collect)
    .addOption(sinceOption())
    .addOption(untilOption())
    .addOption(sortOption())
    .option("--limit <n>", "how many", wholeNumber(1), 20)
    .option("--substring", "match parts of words too (slower)")
    .option("--explain", "show how the query is parsed instead of searching")
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action((words: string[], flags: SearchFlags) => search(words.join(" "), flags));
}

function sortOption(): Option {
  return new Option("--sort <order>", "best, newest or oldest first")
    .choices(["rank", "newest", "oldest"])
    .default("rank");
}

async function search(query: string, flags: SearchFlags): Promise<void> {
  if (flags.explain) return explain(query, flags);
  const result = await withStore<SearchResult | undefined>(
    (store) => store.searchMessages(query, searchOptions(flags)),
    () => undefined,
  );
  if (flags.json) return printJson(result ?? { hits: [], plan: await planOf(query, flags) });
  if (!result) return print("No sessions found.");
  print(result.hits.length === 0 ? "No messages found." : drawHits(result.hits, nowSeconds()));
}

async function explain(query: string, flags: SearchFlags): Promise<void> {
  const plan = await planOf(query, flags);
  flags.json ? printJson(plan) : print(drawPlan(plan));
}

/** Needs no store: parsing a query doesn't depend on stored data. */
async function planOf(query: string, { substring }: SearchFlags): Promise<SearchPlan> {
  const { planSearch } = await import("../../store/shared/plan-search.js");
  return planSearch(query, substring ?? false).plan;
}

function searchOptions({ source, excludeSource, role, since, until, sort, limit, substring }: SearchFlags) {
  return given<SearchOptions>({
    sources: source,
    excludeSources: excludeSource,
    roles: role,
    since,
    until,
    sort,
    limit,
    substring,
  });
}
