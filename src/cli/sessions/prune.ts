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
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

export function pruneCommand(): Command {
  return new Command("prune")
    .description("Delete old sessions that have ended; active ones always stay")
    .option("--older-than <days>", "started at least this many days ago", wholeNumber(0), 90)
    .addOption(sourceOption())
    .option("--dry-run", "only show how many would be deleted")
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(prune);
}

async function prune(options: PruneOptions): Promise<void> {
  if (options.dryRun) return count(options);
  const pruned = await withStore(
    (store) => pruneAfterAsking(store, options),
    () => 0,
  );
  if (pruned === undefined) return;
  options.json ? printJson({ pruned }) : print(`Pruned ${pruned} session(s).`);
}

async function count(options: PruneOptions): Promise<void> {
  const found = await withStore(
    (store) => store.pruneSessions({ ...queryOf(options), dryRun: true }),
    () => ({ sessions: 0, messages: 0 }),
  );
  const { sessions, messages } = found;
  options.json
    ? printJson({ sessions, messages })
    : print(`Would prune ${sessions} session(s) with ${messages} message(s).`);
}

const queryOf = ({ olderThan, source }: PruneOptions) => ({
  olderThanDays: olderThan,
  ...given<{ source: string }>({ source }),
});

async function pruneAfterAsking(store: Store, options: PruneOptions): Promise<number | undefined> {
  const { olderThan, source } = options;
  const which = `ended sessions${source ? ` of ${source}` : ""} older than ${olderThan} days`;
  if (!(await confirmed(`Delete all ${which}?`, options))) return undefined;
  const { sessions } = await withProgress((onProgress) => store.pruneSessions(queryOf(options), onProgress));
  if (sessions > 0) await (await transcripts()).tidy(store);
  return sessions;
}
