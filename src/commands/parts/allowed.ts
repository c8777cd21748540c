import { type CommandAsker, mayUse } from "../admin.js";
import type { Command, CommandCall } from "../command.js";

/** The commands for help: those with a group that the person may use here. */
export function shownCommands(call: CommandCall): Command[] {
  const asker = askerOf(call);
  return call.gateway.commands.filter((command) => command.group && mayUse(command, asker).ok);
}

function askerOf({ gateway, message, principal }: CommandCall): CommandAsker {
  return {
    isDm: message.origin.chatType === "dm",
    userId: principal.userId,
    owner: principal.owner,
    settings: gateway.config.platforms[principal.platform],
  };
}
