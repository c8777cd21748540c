import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { code } from "./parts/text.js";
import { wordsOf } from "./parts/words.js";

export const background: Command = {
  name: "background",
  aliases: ["bg", "btw"],
  usage: "<prompt>",
  description: "Work on something beside this session",
  group: "turn",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const prompt = wordsOf(call);
  if (prompt === "") return { reply: "What shall I work on? For example `/background compare the offers`." };
  const id = await call.gateway.background(call, prompt);
  return { reply: `🧵 On it, in the background (${code(id)}). The answer comes here when it is done.` };
}
