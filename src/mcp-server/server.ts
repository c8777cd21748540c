/** The tools as an MCP server. The SDK is loaded when the first program connects. */
import type { McpServer } from "@modelcontextprotocol/server";
import { version } from "../version.js";
import { CHAT_TOOLS } from "./tools.js";

export interface Called {
  /** A JSON object. */
  text: string;
  isError: boolean;
}

/** How a call is carried out: here, or by the gateway that runs. Never rejects. */
export type CallTool = (name: string, args: Record<string, unknown>, signal: AbortSignal) => Promise<Called>;

type Sdk = typeof import("@modelcontextprotocol/server");

export function newServer(sdk: Sdk, call: CallTool): McpServer {
  const server = new sdk.McpServer(
    { name: "hermes-gateway", version: version() },
    { capabilities: { tools: {} } },
  );
  for (const { name, description, schema, onlyReads } of CHAT_TOOLS) {
    const annotations = { readOnlyHint: onlyReads };
    server.registerTool(name, { description, inputSchema: schema, annotations }, async (args, context) => {
      const { text, isError } = await call(name, args as Record<string, unknown>, context.mcpReq.signal);
      return { content: [{ type: "text", text }], ...(isError ? { isError } : {}) };
    });
  }
  return server;
}
