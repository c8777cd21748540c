/** A server's tools as tools of the gateway. */
import type { Tool } from "@modelcontextprotocol/client";
import { startOf } from "../text-limits.js";
import type { ToolCall, ToolDefinition } from "../tools/tool.js";
import { messageOf } from "./connected-server.js";
import { isWanted } from "./filter.js";
import { helperTools } from "./helpers.js";
import { resultText } from "./result.js";
import type { ServerLink } from "./server-link.js";
import { commonOf } from "./tool-rules.js";

const MAX_TOOLS = 200;
const MAX_DESCRIPTION_CHARS = 4000;
const MAX_SCHEMA_CHARS = 50_000;

export function toolsOf(link: ServerLink): ToolDefinition[] {
  const wanted = link.tools.filter((tool) => isWanted(tool.name, link.settings.tools) && isSmall(tool));
  return [...wanted.slice(0, MAX_TOOLS).map((tool) => definitionOf(link, tool)), ...helperTools(link)];
}

function isSmall({ inputSchema }: Tool): boolean {
  return JSON.stringify(inputSchema).length <= MAX_SCHEMA_CHARS;
}

function definitionOf(
  link: ServerLink,
  { name, description, title, inputSchema, annotations }: Tool,
): ToolDefinition {
  const onlyReads = annotations?.readOnlyHint === true;
  const repeats = onlyReads || annotations?.idempotentHint === true;
  return {
    ...commonOf(link, name, onlyReads),
    description: startOf(description || title || annotations?.title || name, MAX_DESCRIPTION_CHARS),
    parameters: { ...inputSchema, type: "object", properties: inputSchema.properties ?? {} },
    repeat: repeats ? "safe" : "never",
    run: (args, call) => callTool(link, name, args, call),
  };
}

async function callTool(
  link: ServerLink,
  name: string,
  args: Record<string, unknown>,
  { signal, idempotencyKey: key }: ToolCall,
): Promise<string> {
  const server = await link.connected(signal);
  try {
    return resultText(await server.call(name, args, { key, signal }));
  } catch (error) {
    if (isCutOff(error))
      throw new Error(`the server ${link.name} ended during the call, so whether it took effect is unknown`);
    if (isUnreachable(error)) link.lost(server);
    if (!isForgotten(error)) throw new Error(messageOf(error), { cause: error });
    // An HTTP server was restarted and doesn't know the session, so it hasn't run the call.
    link.lost(server);
    await server.ended;
    const fresh = await link.connected(signal);
    return resultText(await fresh.call(name, args, { key, signal }));
  }
}

/** 404 by the protocol; many servers say 400 and something about the session. */
function isForgotten(error: unknown): boolean {
  const { status, message = "" } = error as { status?: number; message?: string };
  return status === 404 || (status === 400 && /session/i.test(message));
}

/** `fetch` had no answer. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError;
}

function isCutOff(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "CONNECTION_CLOSED";
}
