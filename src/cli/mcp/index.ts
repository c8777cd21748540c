/** `hermes mcp`: the MCP servers whose tools the agent uses, and the gateway as a server for others. */

import { Command } from "commander";
import { collect, jsonOption } from "../options.js";

const HELP = `
  hermes mcp add files -- npx -y @modelcontextprotocol/server-filesystem /srv/shared
  hermes mcp add tracker --url https://tracker.example.org/mcp --header 'Authorization: Bearer \${TRACKER_TOKEN}'
  hermes mcp test files
  hermes mcp serve                        for other programs: the chats of this gateway as MCP tools

A running gateway takes up changes with /reload-mcp, or at its next start. docs/mcp.md has the rest.`;

export function mcpCommand(): Command {
  const mcp = new Command("mcp").addHelpText("after", HELP);
  mcp
    .command("list")
    .description("Show the configured servers, and their state if the gateway runs")
    .addOption(jsonOption())
    .action(async (options) => (await import("./list.js")).list(options));
  mcp
    .command("test")
    .description("Connect to a server now and show its tools")
    .argument("<name>", "its name under mcp_servers")
    .addOption(jsonOption())
    .action(async (name, options) => (await import("./test.js")).test(name, options));
  mcp
    .command("add")
    .description("Add a server to config.yaml")
    .argument("<name>", "any name; its tools become mcp__<name>__<tool>")
    .argument("[command...]", "program and arguments of a server on stdio, after --")
    .option("--url <address>", "of a server on streamable HTTP")
    .option("--header <line>", "'Name: value' for every request; may be repeated", collect)
    .option("--oauth", "log in with a browser: hermes mcp login")
    .option("--env <assignment>", "NAME=value for its process; may be repeated", collect)
    .option("--untrusted", "ask before its tools change something")
    .option("--allow <people>", "who may use it: owner, paired, everyone, platform:user id", collect)
    .addOption(jsonOption())
    .action(async (name, command, options) => (await import("./edit.js")).add(name, command, options));
  mcp
    .command("remove")
    .description("Remove a server from config.yaml")
    .argument("<name>", "its name under mcp_servers")
    .addOption(jsonOption())
    .action(async (name, options) => (await import("./edit.js")).remove(name, options));
  mcp
    .command("login")
    .description("Log in to a server with auth: oauth, in a browser")
    .argument("<name>", "its name under mcp_servers")
    .addOption(jsonOption())
    .action(async (name, options) => (await import("./login.js")).login(name, options));
  mcp
    .command("logout")
    .description("Forget the login to a server")
    .argument("<name>", "its name under mcp_servers")
    .addOption(jsonOption())
    .action(async (name, options) => (await import("./login.js")).logout(name, options));
  mcp
    .command("serve")
    .description("Serve the chats as MCP tools on standard input and output, for other programs")
    .action(async () => (await import("./serve.js")).serve());
  return mcp;
}
