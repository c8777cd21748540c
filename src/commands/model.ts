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
  if (name === "") return shown(await gateway.model(key), gateway.config.model.choices);
  if (/\s/.test(name)) return { reply: "Model names have no spaces. For example `/model default`." };
  const isDefault = name.toLowerCase() === "default";
  await gateway.choose(key, { model: isDefault ? null : name });
  const which = isDefault ? "Back to the default model" : "This chat now uses";
  return { reply: `${which} ${code(await gateway.model(key))}, from the next turn on.` };
}

/** With buttons for the models that the operator lists. */
function shown(current: string, names: readonly string[]): CommandOutcome {
  const text = `This chat uses ${code(current)}. \`/model <name>\` changes it, \`/model default\` resets it.`;
  if (names.length === 0) return { reply: text };
  const choices = names.map((name) => ({
    label: name === current ? `${name} ✓` : name,
    command: `/model ${name}`,
  }));
  return { question: { text, choices: [...choices, { label: "Default", command: "/model default" }] } };
}
