import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { rawArgs } from "./parts/raw-args.js";
import { counted } from "./parts/text.js";

export const queue: Command = {
  name: "queue",
  aliases: ["q"],
  usage: "<text>",
  description: "Ask this after the running turn",
  group: "turn",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const text = rawArgs(call);
  if (text === "") return { reply: "What should I queue? For example `/queue and then the tests`." };
  return enqueue(call, text);
}

/** Replies only if it has to wait. */
function enqueue({ gateway, key }: CommandCall, text: string): CommandOutcome {
  const before = gateway.waiting(key) + (gateway.isRunning(key) ? 1 : 0);
  if (before === 0) return { turn: { text } };
  return { reply: `⏳ Queued, after ${counted(before, "turn")}.`, turn: { text } };
}
