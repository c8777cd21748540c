/** Shows, reloads and reconnects MCP servers. */
import type { Hono } from "hono";
import { z } from "zod";
import { HermesError } from "../../errors.js";
import { bodyOf } from "../params.js";
import type { McpAnswer } from "./operations-types.js";
import { gone, operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";

export function mcpServerRoutes(api: Hono, options: DashboardOptions): void {
  const { mcp } = options.operations;
  const note = operatorLog(options);

  api.get("/mcp", (c) => c.json({ servers: mcp.details() } satisfies McpAnswer));

  api.post("/mcp/reload", async (c) => {
    await bodyOf(c, {});
    const servers = await mcp.reload();
    await note(c, "reload-mcp", { servers: servers.map(({ name }) => name) });
    return c.json({ servers });
  });

  api.post("/mcp/reconnect", async (c) => {
    const { name } = await bodyOf(c, { name: z.string().min(1).max(200) });
    if (mcp.details().some((server) => server.name === name && server.state === "off"))
      throw new HermesError("conflict", `The MCP server ${name} is switched off.`, {
        hint: `Set mcp_servers.${name}.enabled to true, then reload.`,
      });
    const server = await mcp.reconnect(name);
    if (!server) throw gone(`There is no MCP server ${name} (any more).`);
    await note(c, "reconnect-mcp", { server: name, state: server.state });
    return c.json({ server });
  });
}
