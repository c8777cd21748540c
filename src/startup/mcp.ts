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
  /** Beside those of the configuration, which win under the same name. */
  more?: Config["mcp_servers"] | undefined;
  /** Only these. */
  skipsConfigured?: boolean | undefined;
}

/** The MCP servers of the configuration. They connect once `start` is called. */
export function mcpServers({ config, loaded, home, env, log, more, skipsConfigured }: McpParts): McpServers {
  const unused = loaded?.ignored.map(({ path }) => path).filter((path) => path.startsWith("mcp_servers."));
  if (unused && unused.length > 0)
    log.warn({ keys: unused }, "these keys of MCP servers mean nothing to the gateway");
  const all = (configured: Config["mcp_servers"]) => ({ ...more, ...(skipsConfigured ? {} : configured) });
  return new McpServers({
    ...{ servers: all(config.mcp_servers), home, env, log },
    load: () => all(loadConfig({ home, env }).config.mcp_servers),
  });
}
