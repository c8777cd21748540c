/** Runs calls on a service in this process. */
import type { Called, CallTool } from "./server.js";
import type { ChatService } from "./service.js";
import { CHAT_TOOLS, mistakeOf } from "./tools.js";

export function localCalls(
  service: () => ChatService | Promise<ChatService>,
  onError: (error: unknown, tool: string) => void,
): CallTool {
  return async (name, args, signal) => {
    try {
      const tool = CHAT_TOOLS.find((one) => one.name === name);
      if (!tool) return failed(`There is no tool ${name}.`);
      const text = JSON.stringify(await tool.run(args, await service(), signal));
      return { text, isError: false };
    } catch (error) {
      const mistake = mistakeOf(error);
      if (mistake === undefined) onError(error, name);
      return failed(mistake ?? "Internal error. See the gateway's log.");
    }
  };
}

export function failed(error: string): Called {
  return { text: JSON.stringify({ error }), isError: true };
}
