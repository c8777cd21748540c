/** Names of an MCP server's tools, as models and rules know them. Pure. */
import { createHash } from "node:crypto";

/** What model providers accept. */
const MAX_CHARS = 64;
const HASH_CHARS = 8;

export function toolName(server: string, tool: string): string {
  return fitted(`mcp__${plainName(server)}__${plainName(tool)}`);
}

/** As Hermes Agent 0.14 named it: rules and stored conversations may have it. */
export function oldToolName(server: string, tool: string): string {
  return fitted(`mcp_${plainName(server)}_${plainName(tool)}`);
}

export function toolsetName(server: string): string {
  return `mcp-${server}`;
}

/** Whether a name in the configuration may mean one of the server's tools, or its toolset. */
export function mayMean(name: string, server: string): boolean {
  const plain = plainName(server);
  return (
    name === toolsetName(server) || name.startsWith(`mcp__${plain}__`) || name.startsWith(`mcp_${plain}_`)
  );
}

function plainName(text: string): string {
  return text.replace(/[^A-Za-z0-9_]/g, "_");
}

/** A long name keeps its beginning; a hash keeps it apart from others that begin the same way. */
function fitted(name: string): string {
  if (name.length <= MAX_CHARS) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_CHARS);
  return `${name.slice(0, MAX_CHARS - HASH_CHARS - 1)}_${hash}`;
}
