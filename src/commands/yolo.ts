import type { Command, CommandCall, CommandOutcome } from "./command.js";

export const yolo: Command = {
  name: "yolo",
  usage: "[on or off]",
  description: "Run tools in this session without asking (owners only)",
  group: "turn",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const { gateway, principal, args } = call;
  if (!principal.owner) return { reply: "Only an owner can do that." };
  if (!call.session) return { reply: "There is no session yet. Write something first." };
  const wanted = args.trim().toLowerCase();
  if (wanted !== "" && wanted !== "on" && wanted !== "off")
    return { reply: "Use `/yolo on` or `/yolo off`." };
  const on = wanted !== "off";
  await gateway.approveAll(call, on);
  return {
    reply: on
      ? "Tools in this session run without asking, from the next turn on. `/yolo off` ends that."
      : "Tools ask again, from the next turn on.",
  };
}
