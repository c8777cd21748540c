import { DEFAULT_AGENT } from "../policies/agent-choice.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { rawArgs } from "./parts/raw-args.js";
import { code } from "./parts/text.js";

export const agent: Command = {
  name: "agent",
  usage: "[name or default]",
  description: "Show or change the agent of this chat",
  group: "about",
  adminOnly: true,
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const { gateway, key } = call;
  const name = rawArgs(call).toLowerCase();
  const { current, configured, usable } = gateway.agentOf(call);
  if (name === "") return shown(current, usable);
  if (name !== DEFAULT_AGENT && !usable.some((one) => one.name === name))
    return { reply: `There is no agent ${code(name)} that you may use. ${listed(usable)}` };
  // In a chat with its own agent, `default` is that one.
  await gateway.choose(key, { agent: name === DEFAULT_AGENT ? null : name });
  const now = name === DEFAULT_AGENT ? configured : name;
  return { reply: `${code(now)} answers in this chat, from the next turn on.` };
}

type Usable = readonly { name: string; description: string | null }[];

function shown(current: string, usable: Usable): CommandOutcome {
  const text = `${code(current)} answers in this chat. ${listed(usable)}`;
  if (usable.length === 0) return { reply: text };
  const choices = [...usable.map(({ name }) => name), DEFAULT_AGENT].map((name) => ({
    label: name === current ? `${name} ✓` : name,
    command: `/agent ${name}`,
  }));
  return { question: { text, choices } };
}

function listed(usable: Usable): string {
  if (usable.length === 0) return "There is no other agent you may use.";
  const names = usable.map(({ name, description }) =>
    description ? `${code(name)} (${description})` : code(name),
  );
  return `You may use ${[...names, code(DEFAULT_AGENT)].join(", ")}.`;
}
