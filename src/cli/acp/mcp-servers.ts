/** MCP servers that an editor passes along → settings as in the configuration. Pure. */
import type { McpServer } from "@agentclientprotocol/sdk";
import type { Config } from "../../config/schema.js";
import { mcpServers } from "../../config/sections/mcp.js";

const MAX_SERVERS = 50;

type Parsed = { servers: Config["mcp_servers"] } | { problem: string };

export function serversOf(given: readonly McpServer[]): Parsed {
  if (given.length > MAX_SERVERS) return { problem: `There are more than ${MAX_SERVERS} MCP servers` };
  const unknown = given.find((server) => "type" in server && server.type !== "http");
  if (unknown)
    return { problem: `The MCP server ${unknown.name} needs a transport other than stdio or http` };
  const entries = given.map((server) => [server.name, settingsOf(server)] as const);
  const { data, error } = mcpServers.safeParse(Object.fromEntries(entries));
  const [issue] = error?.issues ?? [];
  return data ? { servers: data } : { problem: `mcpServers.${issue?.path.join(".")}: ${issue?.message}` };
}

function settingsOf(server: McpServer): Record<string, unknown> {
  if ("url" in server) return { url: server.url, headers: byName(server.headers) };
  const { command, args, env } = server;
  return { command, args, env: byName(env) };
}

function byName(pairs: readonly { name: string; value: string }[] = []): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
