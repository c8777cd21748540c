import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { currentSession, noSession } from "./parts/current-session.js";
import { code, counted } from "./parts/text.js";
import { wordsOf } from "./parts/words.js";

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
  const result = await call.gateway.compress(call, wordsOf(call));
  if (!result) return { reply: "There is too little to summarise yet. Just go on." };
  const goesOn = result.title === null ? "" : ` The session goes on as ${code(result.title)}.`;
  return {
    reply: `🗜️ Summarised: ${counted(result.before, "message")} → ${result.after}.${goesOn} Nothing is lost: the full text stays in the history.`,
  };
}
