import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { currentSession, noSession } from "./parts/current-session.js";
import { rawArgs } from "./parts/raw-args.js";
import { code, counted } from "./parts/text.js";

export const compress: Command = {
  name: "compress",
  usage: "[focus]",
  description: "Summarise the session so far",
  group: "conversation",
  when: "idle",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  if (!currentSession(call)) return { reply: await noSession(call) };
  const result = await call.gateway.compress(call, rawArgs(call));
  if (!result) return { reply: "There is too little to summarise yet. Just continue." };
  const continues = result.title === null ? "" : ` The session continues as ${code(result.title)}.`;
  return {
    reply: `🗜️ Summarised: ${counted(result.before, "message")} → ${result.after}.${continues} Nothing is lost: the full text stays in the history.`,
  };
}
