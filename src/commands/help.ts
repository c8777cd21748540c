import type { Command, CommandCall, CommandGroup, CommandOutcome } from "./command.js";
import { shownCommands } from "./parts/allowed.js";
import { describeCommand } from "./parts/describe-command.js";
import { blocks, bullets } from "./parts/text.js";

const HEADINGS: readonly (readonly [CommandGroup, string])[] = [
  ["conversation", "Conversation"],
  ["turn", "While I'm working"],
  ["about", "Good to know"],
];

export const help: Command = {
  name: "help",
  description: "What I can do",
  group: "about",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const shown = shownCommands(call);
  const groups = HEADINGS.map(([group, heading]) => {
    const members = shown.filter((command) => command.group === group);
    return members.length > 0 && blocks(`**${heading}**`, bullets(...members.map(describeCommand)));
  });
  return { reply: blocks("Just write to me, or use a command:", ...groups) };
}
