import type { McpServerConfig } from "../../config/sections/mcp.js";
import { HermesError } from "../../errors.js";

/** A configured server. */
export function serverNamed(
  name: string,
  servers: Readonly<Record<string, McpServerConfig>>,
): McpServerConfig {
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (found) return found;
  throw new HermesError("not_found", `There is no MCP server ${name}.`, {
    hint: `Servers: ${Object.keys(servers).join(", ") || "none"}.`,
  });
}
