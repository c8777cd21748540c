import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { wordsOf } from "./parts/words.js";

export const steer: Command = {
  name: "steer",
  usage: "<text>",
  description: "Give the running turn a hint",
  group: "turn",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const { gateway, key } = call;
  const text = wordsOf(call);
  if (text === "") return { reply: "What is the hint? For example `/steer only the last week`." };
  if (!gateway.isRunning(key)) return { turn: { text } };
  return {
    reply: "🧭 Passed on to the running turn; what it can't take up any more comes next.",
    turn: { text, steer: true },
  };
}
