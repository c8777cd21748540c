import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { rawArgs } from "./parts/raw-args.js";

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
  const text = rawArgs(call);
  if (text === "") return { reply: "What is the hint? For example `/steer only the last week`." };
  if (!gateway.isRunning(key)) return { turn: { text } };
  return {
    reply: "🧭 Passed on to the running turn; if that is too late, I'll answer it next.",
    turn: { text, steer: true },
  };
}
