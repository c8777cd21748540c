import { Command } from "commander";
import type { Store } from "../../store/store.js";
import { confirmed } from "../ask.js";
import { transcripts, withStore } from "../open.js";
import { given, jsonOption, sourceOption, wholeNumber, yesOption } from "../options.js";
import { print, printJson } from "../output.js";
import { withProgress } from "../progress.js";

interface PruneOptions {
  olderThan: number;
  source?: string;
  yes?: boolean;
  json?: boolean;
}

export function pruneCommand(): Command {
  return new Command("prune")
    .description("Delete old sessions that have ended; active ones always stay")
    .option("--older-than <days>", "started at least this many days ago", wholeNumber(0), 90)
    .addOption(sourceOption())
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(prune);
}

async function prune(options: PruneOptions): Promise<void> {
  const pruned = await withStore(
    (store) => pruneAfterAsking(store, options),
    () => 0,
  );
  if (pruned === undefined) return;
  options.json ? printJson({ pruned }) : print(`Pruned ${pruned} session(s).`);
}

async function pruneAfterAsking(store: Store, options: PruneOptions): Promise<number | undefined> {
  const { olderThan, source } = options;
  const which = `ended sessions${source ? ` of ${source}` : ""} older than ${olderThan} days`;
  if (!(await confirmed(`Delete all ${which}?`, options))) return undefined;
  const query = { olderThanDays: olderThan, ...given<{ source: string }>({ source }) };
  const pruned = await withProgress((onProgress) => store.pruneSessions(query, onProgress));
  if (pruned > 0) await (await transcripts()).tidy(store);
  return pruned;
}
