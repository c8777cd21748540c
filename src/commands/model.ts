import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { rawArgs } from "./parts/raw-args.js";
import { code } from "./parts/text.js";

export const model: Command = {
  name: "model",
  usage: "[name or default]",
  description: "Show or change this chat's model",
  group: "about",
  adminOnly: true,
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const { gateway, key } = call;
  const name = rawArgs(call);
  if (name === "") return { reply: show(await gateway.model(key)) };
  if (/\s/.test(name)) return { reply: "Model names have no spaces. For example `/model default`." };
  const isDefault = name.toLowerCase() === "default";
  await gateway.setModel(key, isDefault ? undefined : name);
  const which = isDefault ? "Back to the default model" : "This chat now uses";
  return { reply: `${which} ${code(await gateway.model(key))}, from the next turn on.` };
}

function show(current: string): string {
  return `This chat uses ${code(current)}. \`/model <name>\` changes it, \`/model default\` resets it.`;
}
