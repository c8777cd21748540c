import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { shownCommands } from "./parts/allowed.js";
import { describeCommand } from "./parts/describe-command.js";
import { blocks, bullets } from "./parts/text.js";

const PAGE_SIZE = 20;

export const commandList: Command = {
  name: "commands",
  usage: "[page]",
  description: "All commands with their aliases",
  group: "about",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const all = shownCommands(call);
  const pages = Math.max(1, Math.ceil(all.length / PAGE_SIZE));
  const page = Number(call.args.trim() || "1");
  if (!Number.isSafeInteger(page) || page < 1 || page > pages) {
    return {
      reply: `There ${pages === 1 ? "is one page" : `are ${pages} pages`}. /commands shows the first.`,
    };
  }
  const shown = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const more = page < pages && `\`/commands ${page + 1}\` shows more.`;
  return { reply: blocks(`**Commands** (${page}/${pages})`, bullets(...shown.map(withAliases)), more) };
}

function withAliases(command: Command): string {
  const aliases = command.aliases?.map((alias) => `/${alias}`).join(", ");
  return `${describeCommand(command)}${aliases ? ` (also ${aliases})` : ""}`;
}
