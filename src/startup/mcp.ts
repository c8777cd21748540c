import { type LoadedConfig, loadConfig } from "../config/load.js";
import type { Env } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import type { GatewayLog } from "../log.js";
import { McpServers } from "../mcp/manager.js";

export interface McpParts {
  config: Config;
  /** Says which keys aren't used. */
  loaded?: Pick<LoadedConfig, "ignored">;
  home: string;
  env: Env;
  log: GatewayLog;
}

/** The MCP servers of the configuration. They connect once `start` is called. */
export function mcpServers({ config, loaded, home, env, log }: McpParts): McpServers {
  const unused = loaded?.ignored.map(({ path }) => path).filter((path) => path.startsWith("mcp_servers."));
  if (unused && unused.length > 0)
    log.warn({ keys: unused }, "these keys of MCP servers mean nothing to the gateway");
  return new McpServers({
    ...{ servers: config.mcp_servers, home, env, log },
    load: () => loadConfig({ home, env }).config.mcp_servers,
  });
}
