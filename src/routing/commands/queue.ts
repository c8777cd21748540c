import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { counted } from "./parts/text.js";
import { wordsOf } from "./parts/words.js";

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
  const text = wordsOf(call);
  if (text === "") return { reply: "What shall wait? For example `/queue and then the tests`." };
  return enqueue(call, text);
}

/** Idle, it simply runs; else people want to know how long it may take. */
function enqueue({ gateway, key }: CommandCall, text: string): CommandOutcome {
  const before = gateway.waiting(key) + (gateway.isRunning(key) ? 1 : 0);
  if (before === 0) return { turn: { text } };
  return { reply: `⏳ Queued, after ${counted(before, "turn")}.`, turn: { text } };
}
