import { type LoadedConfig, loadConfig } from "../config/load.js";
import type { Env } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import type { GatewayLog } from "../log.js";
import { McpServers } from "../mcp/manager.js";
import type { SecretSet } from "../secrets/secret-set.js";

export interface McpParts {
  config: Config;
  /** If set, unknown keys are logged. */
  loaded?: Pick<LoadedConfig, "ignored">;
  home: string;
  env: Env;
  log: GatewayLog;
  /** Gets logins that are created or renewed while the servers run. */
  secrets?: SecretSet | undefined;
  /** Additional servers. Configured ones with the same name take precedence. */
  more?: Config["mcp_servers"] | undefined;
  /** Use only the additional servers. */
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
