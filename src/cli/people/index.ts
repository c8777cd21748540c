import { Command } from "commander";
import { eraseCommand } from "./erase.js";
import { exportCommand } from "./export.js";
import { listCommand } from "./list.js";

const EXAMPLES = `
A person is <platform>:<user>, as \`hermes people list\` shows them: one id on one platform, over all its accounts.

Examples:
  hermes people list --platform telegram
  hermes people export telegram:123456789 --to ann.tar.gz
  hermes people erase telegram:123456789 --dry-run
  hermes people erase telegram:123456789`;

export function peopleCommand(): Command {
  const people = new Command("people").addHelpText("after", EXAMPLES);
  for (const command of [listCommand(), exportCommand(), eraseCommand()]) people.addCommand(command);
  return people;
}
