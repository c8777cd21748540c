import { Command } from "commander";
import { browseCommand } from "./browse.js";
import { deleteCommand } from "./delete.js";
import { exportCommand } from "./export.js";
import { importCommand } from "./import.js";
import { lineageCommand } from "./lineage.js";
import { listCommand } from "./list.js";
import { optimizeCommand } from "./optimize.js";
import { pruneCommand } from "./prune.js";
import { renameCommand } from "./rename.js";
import { repairCommand } from "./repair.js";
import { searchCommand } from "./search.js";
import { showCommand } from "./show.js";
import { statsCommand } from "./stats.js";

const EXAMPLES = `
Where a session is asked for, give its id, the beginning of its id, or its title.

Examples:
  hermes sessions list --source telegram --limit 50
  hermes sessions search "exact phrase" --since 7d
  hermes sessions rename 20250305_0915 refactoring auth
  hermes sessions export backup.jsonl
  hermes sessions prune --older-than 30`;

export function sessionsCommand(): Command {
  const sessions = new Command("sessions").addHelpText("after", EXAMPLES);
  for (const command of [
    listCommand(),
    showCommand(),
    searchCommand(),
    browseCommand(),
    lineageCommand(),
    renameCommand(),
    deleteCommand(),
    pruneCommand(),
    exportCommand(),
    importCommand(),
    statsCommand(),
    optimizeCommand(),
    repairCommand(),
  ]) {
    sessions.addCommand(command);
  }
  return sessions;
}
