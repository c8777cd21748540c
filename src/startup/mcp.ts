import { loadConfig } from "../config/load.js";
import type { Env } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import type { GatewayLog } from "../log.js";
import { McpServers } from "../mcp/manager.js";

/** The MCP servers of the configuration. They connect once `start` is called. */
export function mcpServers(parts: { config: Config; home: string; env: Env; log: GatewayLog }): McpServers {
  const { config, home, env, log } = parts;
  return new McpServers({
    ...{ servers: config.mcp_servers, home, env, log },
    load: () => loadConfig({ home, env }).config.mcp_servers,
  });
}
