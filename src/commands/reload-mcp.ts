import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { bullets, code } from "./parts/text.js";

export const reloadMcp: Command = {
  name: "reload-mcp",
  aliases: ["reload_mcp"],
  description: "Reload the MCP servers from the configuration and reconnect them (owners)",
  when: "now",
  run,
};

async function run({ gateway, principal }: CommandCall): Promise<CommandOutcome> {
  if (!principal.owner) return { reply: "Only an owner can do that." };
  const servers = await gateway.reloadMcp();
  if (servers.length === 0) return { reply: "No MCP server is configured." };
  const lines = servers.map(({ name, state, tools, detail }) => {
    const what = state === "ready" ? `${tools} tools` : (detail ?? "");
    return `${code(name)}: ${state}${what ? `, ${what}` : ""}`;
  });
  return { reply: `The next turn can use the tools of these servers:\n\n${bullets(...lines)}` };
}
