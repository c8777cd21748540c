import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { rawArgs } from "./parts/raw-args.js";
import { code } from "./parts/text.js";

export const background: Command = {
  name: "background",
  aliases: ["bg", "btw"],
  usage: "<prompt>",
  description: "Work on something in a separate session",
  group: "turn",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const prompt = rawArgs(call);
  if (prompt === "") return { reply: "What should I work on? For example `/background compare the offers`." };
  const id = await call.gateway.background(call, prompt);
  return { reply: `🧵 On it, in the background (${code(id)}). I'll post the answer here.` };
}
