import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { bullets, code } from "./parts/text.js";

export const whoami: Command = {
  name: "whoami",
  description: "Your id, role and session key",
  group: "about",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const { principal, key } = call;
  return {
    reply: bullets(
      `Platform: ${code(principal.platform)}`,
      `User id: ${code(principal.userId)}`,
      `Role: ${roleOf(call)}`,
      `Session key: ${code(key)}`,
    ),
  };
}

function roleOf({ principal, isAdmin }: CommandCall): string {
  if (principal.owner) return "owner, sees every session";
  return isAdmin ? "may use every command here" : "may use some commands here, /help shows which";
}
