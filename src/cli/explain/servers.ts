/** Connects MCP servers for one command, independently of a running gateway. */
import { resolveHome } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import type { GatewayLog } from "../../log.js";
import type { ServerStatus } from "../../mcp/settings.js";
import { mcpServers } from "../../startup/mcp.js";
import type { ToolRegistry } from "../../tools/registry.js";
import { io } from "../io.js";

export interface ExplainedServer extends ServerStatus {
  trust: "full" | "untrusted";
}

/** Problems are in the state of each server. */
const QUIET: GatewayLog = { debug() {}, info() {}, warn() {}, error() {} };

/** Runs the work once each server has answered or timed out. */
export async function withServers<T>(
  config: Config,
  registry: ToolRegistry,
  work: (servers: readonly ExplainedServer[]) => Promise<T>,
): Promise<T> {
  const { env, signals } = io();
  const mcp = mcpServers({ config, home: resolveHome(env), env, log: QUIET });
  const stop = () => void mcp.stop();
  signals.once("SIGINT", stop);
  signals.once("SIGTERM", stop);
  mcp.feed(registry);
  mcp.start();
  try {
    await mcp.settled();
    const trustOf = (name: string) => config.mcp_servers[name]?.trust ?? "untrusted";
    return await work(mcp.status().map((status) => ({ ...status, trust: trustOf(status.name) })));
  } finally {
    signals.off("SIGINT", stop);
    signals.off("SIGTERM", stop);
    await mcp.stop();
  }
}
