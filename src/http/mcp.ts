/** `/mcp`: offers the chats as MCP tools over streamable HTTP to programs with the owner's token. */
import type { Hono, MiddlewareHandler } from "hono";
import { localCalls } from "../mcp-server/local-calls.js";
import { newServer } from "../mcp-server/server.js";
import type { ChatService } from "../mcp-server/service.js";
import type { HttpLog } from "./log.js";

type Handle = (request: Request) => Promise<Response>;

export function mcpRoutes(app: Hono, ownerOnly: MiddlewareHandler, service: ChatService, log: HttpLog): void {
  let loading: Promise<Handle> | undefined;
  app.all("/mcp", ownerOnly, async (c) => {
    loading ??= load(service, log);
    return (await loading)(c.req.raw);
  });
}

/** Stateless: nothing is stored between requests, so a restart breaks no client. */
async function load(service: ChatService, log: HttpLog): Promise<Handle> {
  const sdk = await import("@modelcontextprotocol/server");
  const onError = (error: unknown, tool?: string) => log.warn({ err: error, tool }, "an MCP request failed");
  const call = localCalls(() => service, onError);
  const handler = sdk.createMcpHandler(() => newServer(sdk, call), { onerror: onError });
  return (request) => handler.fetch(request);
}
