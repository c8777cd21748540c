import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { code } from "./parts/text.js";

export const approve: Command = {
  name: "approve",
  usage: "[session or always]",
  description: "Allow the pending tool call",
  group: "turn",
  when: "now",
  run: (call) => decide(call, call.args.trim().toLowerCase() || "once"),
};

export const deny: Command = {
  name: "deny",
  description: "Refuse the pending tool call",
  group: "turn",
  when: "now",
  run: (call) => decide(call, "deny"),
};

async function decide(call: CommandCall, choiceId: string): Promise<CommandOutcome> {
  const { gateway } = call;
  const [question] = gateway.openApprovals(call);
  if (!question) return { reply: "Nothing is waiting for your approval." };
  const choice = question.choices.find(({ id }) => id === choiceId);
  if (!choice) {
    const ways = question.choices.filter(({ id }) => id !== "deny").map(({ id }) => code(`/approve ${id}`));
    return { reply: `This call can be allowed with ${ways.join(", ")}, or refused with \`/deny\`.` };
  }
  if (!(await gateway.decideApproval(question, choiceId, call)))
    return { reply: "That has already been decided." };
  const left = gateway.openApprovals(call).length;
  return { reply: `${choice.label}.${left > 0 ? ` ${left} more wait.` : ""}` };
}
