import { type LoadedConfig, loadConfig } from "../config/load.js";
import type { Env } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import type { GatewayLog } from "../log.js";
import { McpServers } from "../mcp/manager.js";
import type { SecretSet } from "../secret-set.js";

export interface McpParts {
  config: Config;
  /** Logs unused keys. */
  loaded?: Pick<LoadedConfig, "ignored">;
  home: string;
  env: Env;
  log: GatewayLog;
  /** Receives logins that are created or renewed while the servers run. */
  secrets?: SecretSet | undefined;
  /** In addition to the configured ones, which take precedence. */
  more?: Config["mcp_servers"] | undefined;
  /** Only these. */
  skipsConfigured?: boolean | undefined;
}

/** The MCP servers of the configuration. They connect once `start` is called. */
export function mcpServers(parts: McpParts): McpServers {
  const { config, loaded, home, env, log, secrets, more, skipsConfigured } = parts;
  const unused = loaded?.ignored.map(({ path }) => path).filter((path) => path.startsWith("mcp_servers."));
  if (unused && unused.length > 0) log.warn({ keys: unused }, "unknown keys of MCP servers are ignored");
  const all = (configured: Config["mcp_servers"]) => ({ ...more, ...(skipsConfigured ? {} : configured) });
  return new McpServers({
    ...{ servers: all(config.mcp_servers), home, env, log },
    onSecrets: (learned) => secrets?.add(learned),
    load: () => all(loadConfig({ home, env }).config.mcp_servers),
  });
}
