import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { counted } from "./parts/text.js";

export const stop: Command = {
  name: "stop",
  description: "Stop the running turn and drop waiting messages",
  group: "turn",
  when: "now",
  run,
};

async function run({ gateway, key, inboxId }: CommandCall): Promise<CommandOutcome> {
  const { wasRunning, cancelled } = await gateway.stop(key, inboxId);
  if (!wasRunning && cancelled === 0) return { reply: "Nothing is running." };
  const dropped = cancelled > 0 ? ` ${counted(cancelled, "waiting message")} dropped.` : "";
  return { reply: `🛑 Stopped.${dropped} The session is kept: just continue, or /retry.` };
}
