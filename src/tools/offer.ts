/** Offered tools → the tools of a backend's request, for one turn. */
import { createHash } from "node:crypto";
import type { Tool } from "../agents/backend.js";
import { countCall, NO_CALLS } from "../policies/tool-loop.js";
import { withTimeout } from "../timeout.js";
import { TOOL_MAX_CHARS, TOOL_TIMEOUT_MS } from "./limits.js";
import { limitedOutput } from "./output.js";
import type { ToolPlace, ToolRegistry } from "./registry.js";
import type { ToolCall } from "./tool.js";

/** The facts of a turn that its tools get. */
export interface ToolTurn
  extends Pick<ToolCall, "principal" | "session" | "target" | "room" | "shared" | "unattended">,
    ToolPlace {
  /** The same after a restart. */
  id: string;
}

/** Tools that need an approval aren't offered: no person can be asked here. */
export async function offerTools(registry: ToolRegistry, turn: ToolTurn, home: string): Promise<Tool[]> {
  const offered = await registry.offered(turn);
  const counts = new Map<string, number>();
  let loop = NO_CALLS;
  let stopped: string | undefined;
  return offered
    .filter(({ ask }) => ask === "never")
    .map(({ tool }) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      run: async (args, signal) => {
        if (stopped !== undefined) return stopped;
        const { state, verdict, note } = countCall(loop, { name: tool.name, args });
        loop = state;
        if (verdict === "stop") {
          stopped = note;
          return note;
        }
        const key = keyOf(turn.id, tool.name, args, counts);
        const timeoutMs = tool.timeoutMs ?? TOOL_TIMEOUT_MS;
        const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        const call = { ...callOf(turn), idempotencyKey: key, signal: limited };
        const message = `${tool.name} gave no result within ${timeoutMs / 1000} s`;
        const output = await withTimeout(tool.run(args, call), timeoutMs, { message, signal });
        const maxChars = tool.maxChars ?? TOOL_MAX_CHARS;
        const text = await limitedOutput(output, { home, key, maxChars });
        return note === "" ? text : `${text}\n\n${note}`;
      },
    }));
}

function callOf(turn: ToolTurn): Omit<ToolCall, "idempotencyKey" | "signal"> {
  const { principal, session, target, room, shared, unattended } = turn;
  return { principal, session, target, room, shared, unattended, ask: async () => undefined };
}

/** By its content: the same call of a repeated turn has the same key, whatever was called before. */
function keyOf(turnId: string, name: string, args: object, counts: Map<string, number>): string {
  const text = `${turnId} ${name} ${JSON.stringify(args)}`;
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 32);
  const count = (counts.get(digest) ?? 0) + 1;
  counts.set(digest, count);
  return `${digest}-${count}`;
}
