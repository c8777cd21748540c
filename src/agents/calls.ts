/** Runs tool calls. */
import { unlessAborted } from "../timeout.js";
import { type Call, parseArguments } from "../tool-calls.js";
import type { Tool, TurnMessage } from "./backend.js";

export function resultMessage(call: Call, content: string): TurnMessage {
  return { role: "tool", content, tool_call_id: call.id, tool_name: call.name };
}

/** Errors become text that the model can act on. Throws only when the signal aborts. */
export async function runCall(call: Call, tools: readonly Tool[], signal: AbortSignal): Promise<string> {
  const tool =
    tools.find(({ name }) => name === call.name) ?? tools.find(({ aliases }) => aliases?.includes(call.name));
  if (!tool) return `Error: there is no tool "${call.name}". Tools: ${tools.map((t) => t.name).join(", ")}`;
  const args = parseArguments(call.arguments);
  if (!args) return `Error: the arguments are not a JSON object: ${bothEnds(call.arguments)}`;
  try {
    // A tool may ignore the signal: don't wait for it then.
    return await unlessAborted(tool.run(args, signal, call.id), signal);
  } catch (error) {
    signal.throwIfAborted();
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Truncated arguments end with a note. */
function bothEnds(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 200)} … ${text.slice(-80)}`;
}
