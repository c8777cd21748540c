import { Command, Option } from "commander";
import { nowSeconds } from "../../clock.js";
import type { ListQuery } from "../../store/store.js";
import { SHORT, withStore } from "../open.js";
import { jsonOption, sourceOption, wholeNumber } from "../options.js";
import { print, printJson } from "../output.js";
import { sessionTable } from "./table.js";

interface ListOptions {
  source?: string;
  limit: number;
  all?: boolean;
  by: "started" | "active";
  json?: boolean;
}

export function listCommand(): Command {
  return new Command("list")
    .description("Show recent sessions")
    .addOption(sourceOption())
    .option("--limit <n>", "how many", wholeNumber(1), 20)
    .option("--all", "include archived ones")
    .addOption(
      new Option("--by <order>", "newest start or newest activity first")
        .choices(["started", "active"])
        .default("started"),
    )
    .addOption(jsonOption())
    .action(list);
}

async function list(options: ListOptions): Promise<void> {
  const sessions = await withStore(
    (store) => store.listSessions(listQuery(options)),
    () => [],
    SHORT,
  );
  if (options.json) printJson(sessions);
  else print(sessions.length === 0 ? "No sessions found." : sessionTable(sessions, nowSeconds()));
}

function listQuery({ source, limit, all, by }: ListOptions): ListQuery {
  return { limit, order: by, includeArchived: all ?? false, ...sourceFilter(source) };
}

/** Sessions of tools are noise, unless asked for by name. */
export function sourceFilter(source: string | undefined): Pick<ListQuery, "source" | "excludeSources"> {
  return source === undefined ? { excludeSources: ["tool"] } : { source };
}
