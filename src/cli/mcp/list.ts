import { loadConfig } from "../../config/load.js";
import { resolveHome } from "../../config/paths.js";
import type { McpServerConfig } from "../../config/sections/mcp.js";
import { whereOf } from "../../mcp/settings.js";
import type { McpServerStatus } from "../../store/membership.js";
import { membershipOf } from "../../store/open.js";
import { drawColumns } from "../columns.js";
import { io } from "../io.js";
import { print, printJson } from "../output.js";

interface Listed {
  name: string;
  enabled: boolean;
  /** The program and its arguments, or the address. */
  where: string;
  trust: string;
  allow: readonly string[] | null;
  /** Null: no gateway runs, or it hasn't read this server yet. */
  state: McpServerStatus["state"] | null;
  tools: number | null;
  detail?: string;
}

export async function list({ json }: { json?: boolean }): Promise<void> {
  const home = resolveHome(io().env);
  const { config } = loadConfig({ home, env: io().env });
  const { running, info } = await membershipOf(home).state();
  const states = new Map((running ? (info?.mcp_servers ?? []) : []).map((status) => [status.name, status]));
  const listed = Object.entries(config.mcp_servers).map(([name, server]) =>
    describe(name, server, states.get(name)),
  );
  if (json) return printJson(listed);
  if (listed.length === 0) return print("No MCP servers: `hermes mcp add` adds one.");
  const columns = [
    { header: "Server", width: 20, cut: 19, min: 12 },
    { header: "State", width: 11 },
    { header: "Tools", width: 6 },
    { header: "", width: 0, min: 12 },
  ];
  const rows = listed.map(({ name, enabled, state, tools, where, detail }) => [
    name,
    state ?? (enabled ? "not running" : "off"),
    tools === null ? "—" : String(tools),
    detail ?? where,
  ]);
  print(drawColumns(columns, rows, 80));
}

function describe(name: string, server: McpServerConfig, status: McpServerStatus | undefined): Listed {
  const { enabled, trust, allow } = server;
  const { state = null, tools = null, detail } = status ?? {};
  return { name, enabled, where: whereOf(server), trust, allow, state, tools, ...(detail ? { detail } : {}) };
}
