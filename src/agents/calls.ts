/** Reads tool calls from stored messages and runs them. */
import type { ChatMessage } from "../session.js";
import { unlessAborted } from "../timeout.js";
import type { Tool, TurnMessage } from "./backend.js";
import { field } from "./text.js";

export interface Call {
  id: string;
  name: string;
  /** Raw arguments from the model, normally JSON. */
  arguments: string;
}

export function readCalls(message: ChatMessage): Call[] {
  return (message.tool_calls ?? []).flatMap((call) => {
    const made = field(call, "function");
    const [id, name, args] = [field(call, "id"), field(made, "name"), field(made, "arguments")];
    if (typeof id !== "string" || typeof name !== "string") return [];
    return [{ id, name, arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) }];
  });
}

export function storedCall({ id, name, arguments: args }: Call): unknown {
  return { id, type: "function", function: { name, arguments: args } };
}

export function resultMessage(call: Call, content: string): TurnMessage {
  return { role: "tool", content, tool_call_id: call.id, tool_name: call.name };
}

/** Undefined when it isn't a JSON object. */
export function parseArguments(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json.trim() || "{}");
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Splits calls into ours and the client's own tools. */
export function shareOut(
  calls: readonly Call[],
  clientTools: readonly { name: string }[] = [],
): { ours: Call[]; theirs: Call[] } {
  const isTheirs = ({ name }: Call) => clientTools.some((tool) => tool.name === name);
  return { ours: calls.filter((call) => !isTheirs(call)), theirs: calls.filter(isTheirs) };
}

/** Errors become text that the model can act on. Throws only when the signal aborts. */
export async function runCall(call: Call, tools: readonly Tool[], signal: AbortSignal): Promise<string> {
  const tool = tools.find((tool) => tool.name === call.name);
  if (!tool) return `Error: there is no tool "${call.name}". Tools: ${tools.map((t) => t.name).join(", ")}`;
  const args = parseArguments(call.arguments);
  if (!args) return `Error: the arguments are not a JSON object: ${bothEnds(call.arguments)}`;
  try {
    // A tool may ignore the signal: don't wait for it then.
    return await unlessAborted(tool.run(args, signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Truncated arguments end with a note. */
function bothEnds(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 200)} … ${text.slice(-80)}`;
}
