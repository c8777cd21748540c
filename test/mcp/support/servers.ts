import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type Config, configSchema } from "../../../src/config/schema.js";
import { OWNER_VARIABLE } from "../../../src/mcp/environment.js";
import { McpServers } from "../../../src/mcp/manager.js";
import { processIds, variableOf } from "../../../src/mcp/proc.js";
import type { ServerStatus } from "../../../src/mcp/settings.js";
import type { Principal } from "../../../src/message.js";
import { ToolRegistry, type ToolSettings } from "../../../src/tools/registry.js";
import { tempDir } from "../../support/temp.js";
import { toolCall } from "../../support/tool-call.js";
import { until } from "../../support/until.js";

export const SCRIPTED = fileURLToPath(new URL("./scripted-server.mjs", import.meta.url));
export const EVERYTHING = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);

export const OWNER: Principal = { platform: "test", userId: "boss", owner: true };

type Given = Record<string, unknown>;

/** A server that `scripted-server.mjs` plays. */
export function scripted(flags: readonly string[] = [], more: Given = {}): Given {
  return { command: process.execPath, args: [SCRIPTED, ...flags], connect_timeout: 20, ...more };
}

export interface Rig {
  home: string;
  mcp: McpServers;
  registry: ToolRegistry;
  /** What `load` reads. */
  servers: Config["mcp_servers"];
  warnings: string[];
  names(who?: Principal): Promise<string[]>;
  /** Calls a tool by its name behind `mcp__<server>__`. */
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<string>;
  ready(name: string): Promise<ServerStatus>;
  state(name: string): ServerStatus | undefined;
}

export function serversOf(given: Record<string, Given>): Config["mcp_servers"] {
  return configSchema.parse({ mcp_servers: given }).mcp_servers;
}

/** A manager with these servers and a registry. Stopped at the end of the test. */
export function rig(
  given: Record<string, Given>,
  {
    settings = {},
    home = tempDir(),
    env = process.env,
  }: { settings?: Partial<ToolSettings>; home?: string; env?: NodeJS.ProcessEnv } = {},
): Rig {
  const warnings: string[] = [];
  const warn = (_: object, message: string) => warnings.push(message);
  const log = { debug: () => undefined, info: () => undefined, warn, error: warn };
  const registry = new ToolRegistry({
    rules: {},
    toolsets: {},
    platformToolsets: {},
    disabled: [],
    ...settings,
  });
  const found = { home, registry, warnings, servers: serversOf(given) } as Rig;
  const mcp = new McpServers({
    ...{ servers: found.servers, home, env, log },
    load: () => found.servers,
    backoff: { firstMs: 20, maxMs: 100 },
  });
  mcp.feed(registry);
  onTestFinished(() => mcp.stop());
  const offered = (principal: Principal) =>
    registry.offered({ principal, room: undefined, platform: "test" });
  const state = (name: string) => mcp.status().find((status) => status.name === name);
  return Object.assign(found, {
    mcp,
    state,
    names: async (who: Principal = OWNER) => (await offered(who)).map(({ tool }) => tool.name),
    call: async (name: string, args = {}, signal = new AbortController().signal) => {
      const wanted = (await offered(OWNER)).find(({ tool }) => tool.name.endsWith(`__${name}`));
      if (!wanted) throw new Error(`no tool ${name}`);
      return wanted.tool.run(args, toolCall({ signal }));
    },
    ready: (name: string) =>
      until(`${name} is ready`, () => state(name)?.state === "ready" && state(name)!, {
        found: () => mcp.status(),
      }),
  });
}

/** Processes that a gateway of this home has started, directly or not. */
export function processesOf(mark: string): number[] {
  return processIds().filter((pid) => variableOf(pid, OWNER_VARIABLE)?.startsWith(mark));
}
